"""Conversations: `kg chat`. A follow-up is made to stand by itself, then it is answered like any question."""
