"""Tests a model for some cents: its window, its longest answer, its thoughts, its server, and one known passage."""
