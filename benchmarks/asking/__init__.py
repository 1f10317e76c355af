"""One module a product; each loads documents and answers questions in a process of its own."""
