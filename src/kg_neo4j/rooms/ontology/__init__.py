"""Schema files, compared, and made of ontologies: `kg schema`. OWL and RDFS are read by rdflib (extra `ontology`)."""
