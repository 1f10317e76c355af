"""Run a canned report as Markdown.

python scripts/run_report.py most-connected limit=10
"""

import sys

from kg_neo4j import KgError, Settings
from kg_neo4j.graph import canned_reports
from kg_neo4j.graph.connection import connect
from kg_neo4j.progress import SILENT


def main() -> int:
    """Return the exit code."""
    if len(sys.argv) < 2 or any("=" not in value for value in sys.argv[2:]):
        print(__doc__, file=sys.stderr)
        return 2
    settings = Settings()
    parameters = dict(value.split("=", 1) for value in sys.argv[2:])
    try:
        with connect(settings, SILENT) as database:
            report = canned_reports.run(database, sys.argv[1], graph=settings.graph, parameters=parameters)
    except KgError as error:
        print(f"{error}\n{error.hint or ''}", file=sys.stderr)
        return error.exit_code
    print(canned_reports.render(report, "markdown"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
