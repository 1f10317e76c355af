"""The pages of `kg serve` that the browser looks at. `{document}` and `{chunk}` stand for ids of the test's graph."""

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
    "/login",
)
