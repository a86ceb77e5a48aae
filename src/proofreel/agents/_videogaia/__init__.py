"""Parts of the VideoGAIA agent: replies, looks, summaries, evidence."""
