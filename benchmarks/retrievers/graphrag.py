"""neo4j-graphrag: HybridCypherRetriever with one hop, in an environment of its own.

One line of JSON on standard input says where to search and with what; every further line is a round, answered by the
seconds of each question.
"""

from __future__ import annotations

import json
import sys
import time

import neo4j
from neo4j_graphrag.retrievers import HybridCypherRetriever

HOP = """
OPTIONAL MATCH (node)<-[:MENTIONED_IN]-(e:Entity)
OPTIONAL MATCH (e)-[r]-(other:Entity)
WITH node, score, collect(DISTINCT e.name + ' ' + type(r) + ' ' + other.name) AS facts
RETURN node.text AS text, score, facts
"""


def main() -> None:
    """Answer rounds until there are no more."""
    job = json.loads(sys.stdin.readline())
    auth = (job["username"], job["password"])
    with neo4j.GraphDatabase.driver(job["uri"], auth=auth, notifications_min_severity="OFF") as driver:
        retriever = HybridCypherRetriever(driver, job["vectors"], job["words"], HOP)
        print(json.dumps({"ready": True}), flush=True)
        for _ in sys.stdin:
            seconds, found = [], 0
            for each in job["questions"]:
                started = time.perf_counter()
                answer = retriever.search(query_text=each["text"], query_vector=each["vector"], top_k=job["top"])
                seconds.append(time.perf_counter() - started)
                found += len(answer.items)
            print(json.dumps({"seconds": seconds, "found": found}), flush=True)


if __name__ == "__main__":
    main()
