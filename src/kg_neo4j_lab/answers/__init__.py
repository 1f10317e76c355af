"""`kg eval answers`: whether the answers are right, and whether what they cite supports them."""
