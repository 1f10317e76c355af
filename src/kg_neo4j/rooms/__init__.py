"""Rooms: one folder for each feature, with all that belongs to it.

The trunk is sliced by stage: a chunk passes `acquire`, `extract`, `graph` and `organise`, a question passes `retrieve`.
A feature that needs several of them is a room, and has all of its parts in folders of its own: `rooms/NAME`,
`cypher/NAME`, `prompts/NAME`, `tests/unit/rooms/NAME`. A room imports the trunk. The trunk does not import a room, and
no room imports another one; both know what rooms add by the tables that CONTRIBUTING.md lists ("How to add a feature").
One room builds on others: `adopt` reads a graph as `tables` reads files, and writes a schema as `ontology` does.
"""
