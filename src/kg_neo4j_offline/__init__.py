"""What replaces a model if none is set: an extractor, trained models, an embedder."""
