"""The narrative tree: summaries of soft clusters of a text, by aspect and level, over the text itself."""
