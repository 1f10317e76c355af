"""Short answers without a model: a name, a date, yes or no, derived from a path through the graph."""
