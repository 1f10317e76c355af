"""`kg study narrative`: what a narrative tree is worth on your text, as the narrative thesis measured it."""
