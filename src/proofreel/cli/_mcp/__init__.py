"""The video tools for agents outside, over the Model Context Protocol."""
