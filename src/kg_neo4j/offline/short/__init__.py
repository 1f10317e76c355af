"""Short answers without a model: a name, a date, yes or no, read off a path through the graph."""
