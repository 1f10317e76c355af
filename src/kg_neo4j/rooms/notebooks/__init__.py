"""What notebooks show: answers, reports and entities as text and tables, progress, and graphs for networkx."""
