"""`kg study narrative`: what a narrative tree is worth on your text, as W4 measured it."""
