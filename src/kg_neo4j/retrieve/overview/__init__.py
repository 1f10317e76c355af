"""The mode `global`: questions about the whole, answered from community reports."""
