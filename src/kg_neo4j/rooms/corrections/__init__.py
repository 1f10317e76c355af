"""Facts and names that a person corrects: `kg fact` and `kg node`. Decisions are kept by later loads, and undone."""
