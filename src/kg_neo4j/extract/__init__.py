"""Stage 2: chunks become validated rows."""
