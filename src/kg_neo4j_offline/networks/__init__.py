"""The trained models that ship with the package, and what runs them."""
