"""`python -m kg_neo4j` is the command `kg`."""

from kg_neo4j._cli.app import main

if __name__ == "__main__":
    main()
