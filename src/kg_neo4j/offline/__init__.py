"""What stands in for a model where none is set: an extractor, trained models, an embedder."""
