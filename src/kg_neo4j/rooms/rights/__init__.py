"""Several people at one server: what each token may see, do and spend, and a line for each request."""
