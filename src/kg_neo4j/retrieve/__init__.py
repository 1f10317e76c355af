"""Stage 5: questions become answers that cite chunks."""
