"""Answering from lines of text without a model: question types, anchors, spans, options, order, calibration."""
