"""The whole flow: load, unload, ask.

    acquire -> extract -> record -> settle -> embed -> analyse          retrieve -> answer

Each call opens the database that the settings mean (NEO4J_URI, else the managed local server, started where needed).
"""
