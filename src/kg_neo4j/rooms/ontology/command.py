"""kg schema: two schemas compared, and a schema made of an ontology."""

from __future__ import annotations

from pathlib import Path

import typer

from kg_neo4j._cli import of_room
from kg_neo4j._cli.terminal import print_facts, print_json, remark, show_table, write_file

app = typer.Typer(help="Compare schemas, or make one of types.", no_args_is_help=True, callback=lambda: None)
if from_database := of_room("adopt.command:schema_from_database"):
    app.command(name="from-database")(from_database)


@app.command(name="diff")
def schema_diff(old: str, new: str, as_json: bool = False) -> None:
    """Say what a change of a schema means for loaded graphs."""
    from kg_neo4j.extract import schema
    from kg_neo4j.extract.schema_changes import compare

    found = compare(schema.load(old), schema.load(new))
    rows = [(each.what, each.change, str(each.effect)) for each in found]
    show_table(found, ["What", "Change", "A load with B"], rows, as_json=as_json)


@app.command(name="import")
def schema_import(
    source: Path,
    target: Path = Path("ontology.toml"),
    base: str = "lean",
    closed: bool = False,
    force: bool = False,
    as_json: bool = False,
) -> None:
    """Make a schema file of an ontology or a table of types."""
    from kg_neo4j.extract import schema
    from kg_neo4j.rooms.ontology import reading

    found = reading.read(source)
    made = reading.as_schema(found, schema.load(base), target.stem, closed=closed)
    write_file(target, made, force=force)
    facts = {
        "schema": str(target),
        "node types": len(found.nodes),
        "relationship types": len(found.relationships),
        "families": len({family for _, family in found.families}),
    }
    if as_json:
        print_json({**facts, "left_out": found.left_out})
        return
    print_facts(facts)
    remark("left out", found.left_out)
    if len(found.nodes) + len(found.relationships) > reading.MANY:
        remark("note", ["all these types are in every prompt: keep those that your texts have"])
    typer.echo(f"read it, edit it, then: kg load FILE... --schema {target}", err=True)
