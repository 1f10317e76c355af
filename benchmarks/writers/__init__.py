"""One module for each writer that is compared; each runs as a process of its own, in an environment of its own."""
