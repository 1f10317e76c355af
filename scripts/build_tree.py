"""Build the narrative trees of all documents, or of one, and print what they consist of.

python scripts/build_tree.py ["A Christmas Carol"]
"""

import sys

from kg_neo4j import KgError, Settings, TreeBuildOptions, tree


def main() -> int:
    """Return the exit code: 3 where the model failed before a tree was whole."""
    if len(sys.argv) > 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        report = tree(settings=Settings(), options=TreeBuildOptions(documents=tuple(sys.argv[1:])))
    except KgError as error:
        print(f"{error}\n{error.hint or ''}", file=sys.stderr)
        return error.exit_code
    for (level, aspect), count in report.summaries.items():
        print(f"level {level}  {aspect}: {count}")
    print(f"{report.leaves} leaves, {report.details} details, {report.usage.calls} calls, {report.changes} changes")
    for line in (*report.unfinished, *report.notes):
        print(line, file=sys.stderr)
    return 3 if report.unfinished else 0


if __name__ == "__main__":
    sys.exit(main())
