"""Scorecards and studies: measured, printed, repeatable."""
