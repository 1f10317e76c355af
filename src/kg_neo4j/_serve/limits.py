"""What one server, one request and one answer may take. Each number with its reason."""

from __future__ import annotations

THREADS = 4  # questions answered at once: more of them only wait for each other on the cores and in Neo4j
MOST_AT_ONCE = 32  # requests running and waiting; the next gets 429. 32 questions of 0.1 s on 4 threads wait 1 s
REQUEST_S = 120.0  # a request: a model may take this long (KG_MODEL_TIMEOUT_S has the same default)
QUERY_S = 30.0  # a query that reads; the longest in the benchmarks takes 2 s
MOST_BODY = 1_000_000  # bytes of a request: a question has at most 2,000 characters, a text to load fits
MOST_UPLOAD = 50_000_000  # bytes of all files of one upload: a thousand pages of PDF
MOST_FILES = 100  # of one upload
MOST_JOBS = 8  # loads that wait; one runs at a time, because a graph has one writer
KEPT_JOBS = 50  # finished loads that `status` still knows

MOST_WORDS = 2_000  # characters of a question, a name or other words of a request
MOST_ROWS = 100  # hits, facts, documents or rows of a page; more by a cursor
ROWS = 20  # the same, where the request does not say how many
MOST_VERIFIED = 10_000  # characters of a text whose claims are verified: a hundred claims of 0.1 s each
MOST_AROUND = 10  # neighbours of a passage on either side
MOST_TEXT = 20_000  # characters of one text in an answer, such as a passage: a chunk of 3,000 tokens has 12,000
ANSWER_TOKENS = 8_000  # of a result of an MCP tool: what agents keep of one call
HUB = 2_000  # relationships of one entity that are looked at
RECENT = 32  # streamed answers that wait for the page that shows them
RECENT_S = 30.0  # that they wait; the page comes at once

NODES = 300  # of a drawn graph at first: more of them hide each other's names
MOST_NODES = 1_000  # of a drawn graph on request
MOST_DRAWN = 300  # summaries of a drawn tree, and leaves: more are a grey surface
MOST_PROPOSED = 20_000  # entities of a graph whose merges are looked for, and communities computed, while a page waits
KEPT_PLANS = 8  # uploads that wait for a yes; the oldest goes where one more comes
