"""Whether an answer holds: its claims, what they cite, and whether that supports them."""
