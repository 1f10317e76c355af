"""The commands kg serve and mcp."""
