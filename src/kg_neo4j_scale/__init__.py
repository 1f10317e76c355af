"""Extraction on many workers, graphs built in bulk, manifests of documents. It imports the trunk alone."""
