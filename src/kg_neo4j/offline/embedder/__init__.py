"""The built-in embedders."""
