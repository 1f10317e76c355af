"""The command line: arguments to settings, one library call, a table or JSON, an exit code. No logic."""
