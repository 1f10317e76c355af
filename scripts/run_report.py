"""Run a canned report as Markdown.

python scripts/run_report.py most-connected limit=10
"""

import sys

from kg_neo4j import KgError, Settings, report
from kg_neo4j.graph.report_format import render


def main() -> int:
    """Return the exit code."""
    if len(sys.argv) < 2 or any("=" not in value for value in sys.argv[2:]):
        print(__doc__, file=sys.stderr)
        return 2
    parameters = dict(value.split("=", 1) for value in sys.argv[2:])
    try:
        found = report(sys.argv[1], settings=Settings(), parameters=parameters)
    except KgError as error:
        print(f"{error}\n{error.hint or ''}", file=sys.stderr)
        return error.exit_code
    print(render(found, "markdown"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
