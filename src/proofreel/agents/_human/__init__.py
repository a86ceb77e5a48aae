"""A person as an agent: the page, what it may do, and what is kept of it."""
