"""The commands kg extract, manifest and build."""
