"""The pages of `kg serve` that the browser looks at. Names in braces stand for ids of the test's graph and server."""

from __future__ import annotations

import time

import httpx

from served import post

ADA = (
    "# Ada Lovelace\n\nAda Lovelace was born in London on 10 December 1815. She was a mathematician. Ada Lovelace met "
    "Charles Babbage in 1833. Charles Babbage designed the Analytical Engine. Ada Lovelace married William King in "
    "1835.\n\n# Friends\n\nWilliam King was born in 1805. Mary Somerville was a friend of Ada Lovelace and taught her "
    "mathematics in London."
)
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
    "/decisions",
    "/decisions?kind=facts",
    "/fact?id={fact}",
    "/quarantine",
    "/questions",
    "/runs",
    "/load",
    "/load?plan={plan}",
    "/run?id={job}",
    "/reports",
    "/report?name=most-connected",
    "/report?name=shortest-path&set.from=Ada+Lovelace&set.to=London",
    "/login",
)


def address_of(client: httpx.Client, page: str, *, write: bool = True) -> str:
    """Return the address of a page, with the ids of the test's graph; a server that only reads has no load."""
    document = client.get("/api/documents").json()["documents"][0]["id"]
    chunk = client.get("/api/source", params={"id": document}).json()["passages"][0]["chunk_id"]
    community = client.get("/communities.json").json()["communities"][0]["id"]
    node = client.get("/tree.json", params={"document": document}).json()["drawing"]["dots"][0]["id"]
    fact = client.get("/api/entity?name=Ada+Lovelace").json()["facts"][0]["id"]
    given = {"document": document, "chunk": chunk, "community": community, "node": node, "fact": fact}
    if "{plan}" in page:
        given["plan"] = upload(client) if write else "none"
    if "{job}" in page:
        given["job"] = loaded(client) if write else "none"
    return f"{client.base_url}".rstrip("/") + page.format(**given)


def upload(client: httpx.Client) -> str:
    """Return the id of an upload that waits for a yes."""
    return post(client, "/load", files={"files": ("ada.md", ADA.encode())}).headers["location"].partition("plan=")[2]


def loaded(client: httpx.Client) -> str:
    """Return the id of a load that has ended; the document is loaded once more, which changes nothing."""
    jobs = client.get("/api/status").json()["jobs"]
    id = jobs[0]["id"] if jobs else client.post("/api/load", json={"name": "ada.md", "text": ADA}).json()["id"]
    while client.get("/api/status", params={"id": id}).json()["jobs"][0]["state"] in ("waiting", "running"):
        time.sleep(0.1)
    return str(id)
