"""Rooms: one folder for each feature, with all that belongs to it.

The trunk is sliced by stage: a chunk passes `acquire`, `extract`, `graph` and `organise`, a question passes `retrieve`.
A feature that needs several of them is a room: its commands, modes, steps of a run and pages are in `rooms/NAME`, its
queries in `cypher/NAME`, its prompts in `prompts/NAME`, its unit tests in `tests/unit/rooms/NAME`. A room imports the
trunk. The trunk does not import a room, and no room imports another one; both know what rooms add by these tables:

- commands: the entry points "kg_neo4j.commands" in pyproject.toml (`kg_neo4j.plugins`); `_cli.app.ORDER` is the order
  of the help. What `--help` says of options is in the room's own options.toml.
- reports: files of `cypher/reports`, and the entry points "kg_neo4j.reports".
- modes of a question: `retrieve.ask.MODES`.
- steps at the end of a run: `pipeline.run.DERIVED`.
- without a model: `offline.stand_ins`, by the kind of a job. A stand-in may import the records of the room it serves.
- pages: each module of `_serve.pages` lists its own.

Without a room everything else works: `tests/contracts/test_rooms.py` hides each in turn.
"""
