"""Load files and folders into the graph and print what was done.

python scripts/load_files.py notes/ report.pdf
"""

import sys

from kg_neo4j import KgError, Settings, load


def main() -> int:
    """Return the exit code."""
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        report = load(sys.argv[1:], settings=Settings())
    except KgError as error:
        print(f"{error}\n{error.hint or ''}", file=sys.stderr)
        return error.exit_code
    for skipped in report.skipped:
        print(f"skipped {skipped.source}: {skipped.reason}", file=sys.stderr)
    print(f"{report.nodes} nodes, {report.relationships} relationships, {report.changes} changes")
    return 3 if report.skipped or report.failed_chunks else 0


if __name__ == "__main__":
    sys.exit(main())
