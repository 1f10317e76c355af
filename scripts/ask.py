"""Ask the graph a question and print the answer with its sources.

python scripts/ask.py "Who was Khadija?"
"""

import sys

from kg_neo4j import KgError, Settings, ask


def main() -> int:
    """Return the exit code: 1 where no short answer is found; the sentence that fits best is printed all the same."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        answer = ask(sys.argv[1], settings=Settings())
    except KgError as error:
        print(f"{error}\n{error.hint or ''}", file=sys.stderr)
        return error.exit_code
    print(answer.answer)
    for citation in answer.citations:
        print(f"  {citation.document} [{citation.start}:{citation.end}]: {citation.quote}")
    return 0 if answer.found else 1


if __name__ == "__main__":
    sys.exit(main())
