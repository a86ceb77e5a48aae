"""An agent and a tool for Proofreel."""
