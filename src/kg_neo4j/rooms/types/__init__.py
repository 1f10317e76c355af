"""Types that a person can list and decide on: `kg types`. Decisions are stored, kept by later loads, and taken back."""
