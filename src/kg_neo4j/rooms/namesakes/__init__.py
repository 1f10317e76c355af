"""Names with two bearers, parted by hand: `kg resolve --split`."""
