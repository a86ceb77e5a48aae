"""An agent that is a program outside: what it is told, the models it may ask, and what comes back."""
