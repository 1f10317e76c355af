"""Load a Wikipedia page by title into the graph and print what was done.

python scripts/load_wikipedia.py "Ada Lovelace" [LANGUAGE]
"""

import sys

from kg_neo4j import KgError, LoadOptions, Settings, load


def main() -> int:
    """Return the exit code."""
    if not 2 <= len(sys.argv) <= 3:
        print(__doc__, file=sys.stderr)
        return 2
    options = LoadOptions(wikipedia=(sys.argv[1],), wiki_language=sys.argv[2] if len(sys.argv) == 3 else "en")
    try:
        report = load(settings=Settings(), options=options)
    except KgError as error:
        print(f"{error}\n{error.hint or ''}", file=sys.stderr)
        return error.exit_code
    print(f"{report.nodes} nodes, {report.relationships} relationships, {report.changes} changes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
