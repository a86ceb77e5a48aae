"""The command line: one file per verb, thin, with imports inside the commands."""
