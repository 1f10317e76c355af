"""Stage 5: from a question to an answer that cites its sources. `ask.py` is where it begins."""
