"""What `kg resolve` asks about names beyond its rules, near names and namesakes, and `--split` by hand."""
