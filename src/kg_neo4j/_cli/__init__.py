"""The command line: arguments to settings, one library call, a table or JSON, an exit code. No logic."""

PARTLY_DONE = 3  # the exit code of a command that left something undone
