"""One module a pipeline; each runs in a process of its own."""
