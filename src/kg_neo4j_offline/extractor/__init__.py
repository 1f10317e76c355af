"""Nodes and relationships from text by rules and small trained models."""
