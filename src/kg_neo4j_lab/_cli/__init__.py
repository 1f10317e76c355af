"""The commands kg eval and study."""
