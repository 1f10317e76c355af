"""`kg eval retrieval`: whether the passages are found that a question needs."""
