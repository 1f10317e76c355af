"""The mode `tree`: a narrative tree's leaves, summaries and details, searched together (the narrative thesis)."""
