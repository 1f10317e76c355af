"""A graph that is in the same database already: read as tables, linked by SAME_AS, never changed."""
