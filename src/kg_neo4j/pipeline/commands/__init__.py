"""One file for each command of `kg`, or for a few that belong together."""
