"""The pages of `kg serve` that the browser looks at. Names in braces stand for ids of the test's graph and server."""

from __future__ import annotations

PAGES = (
    "/",
    "/ask?question=Whom+did+Ada+Lovelace+marry%3F",
    "/ask?question=Who+was+king+of+Sweden%3F&documents=Ada+Lovelace&mode=naive",
    "/search",
    "/search?words=Charles+Babbage",
    "/entity?name=Ada+Lovelace",
    "/documents",
    "/documents?words=nothing",
    "/document?id={document}",
    "/document?id={chunk}&start=20&end=60#here",
    "/graph",
    "/graph?name=Ada+Lovelace",
    "/communities",
    "/community?id={community}",
    "/trees",
    "/tree?document={document}",
    "/tree?document={document}&node={node}",
    "/merges",
    "/merges?show=decided",
    "/quarantine",
    "/runs",
    "/load",
    "/load?plan={plan}",
    "/run?id={job}",
    "/reports",
    "/report?name=most-connected",
    "/report?name=shortest-path&set.from=Ada+Lovelace&set.to=London",
    "/login",
)
