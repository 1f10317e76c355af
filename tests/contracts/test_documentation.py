"""The pages for readers: links and anchors lead somewhere, commands exist, and the site is built without a warning."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.anchors.index import slugify
from typer.exceptions import TyperException
from typer.main import get_command

import kg_neo4j
from hidden_package import needs_all
from kg_neo4j import errors
from kg_neo4j._cli import app as command_line
from kg_neo4j.extract import schema
from kg_neo4j.graph.canned_reports import list_reports, outside_name

CHECKOUT = Path(__file__).resolve().parents[2]
DOCS = CHECKOUT / "docs"
PAGES = sorted([*CHECKOUT.glob("*.md"), *DOCS.rglob("*.md"), *(CHECKOUT / "examples").glob("*.md")])
COMMAND = re.compile(r"^(?:\$ |    |)kg (?P<arguments>[a-z](?!.*\[OPTIONS\]).*)$", re.MULTILINE)
SHELL = re.compile(r"(?: (?:#|[|>&<]|2>)|   ).*$")  # a remark, or what the shell does with the output
ROOT = get_command(command_line.app)
CONTEXT = ROOT.make_context("kg", [], resilient_parsing=True)


@cache
def tokens_of(page: Path) -> list[Token]:
    return MarkdownIt().enable("table").parse(filled(page.read_text("utf-8")))


def filled(text: str) -> str:
    """Return a page with the sections that are generated from the package."""
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        from generated import fill
    finally:
        sys.path.remove(str(DOCS / "_ext"))
    source = [text]
    fill(None, "", source)
    return source[0]


def inline_of(page: Path) -> list[Token]:
    return [inner for token in tokens_of(page) for inner in token.children or ()]


def links_of(page: Path) -> list[str]:
    found = [str(each.attrGet("href") or each.attrGet("src") or "") for each in inline_of(page)]
    return [link for link in found if link and not re.match(r"\w+:", link)]


@cache
def anchors_of(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as GitHub and the site make them."""
    tokens = tokens_of(page)
    titles = [tokens[number + 1] for number, token in enumerate(tokens) if token.type == "heading_open"]
    texts = ("".join(each.content for each in title.children or ()) for title in titles)
    return frozenset(slugify(text) for text in texts)


def test_every_link_and_anchor_leads_somewhere() -> None:
    wrong, count = [], 0
    for page in PAGES:
        for link in links_of(page):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            count += 1
            if not target.exists() or (anchor and anchor not in anchors_of(target)):
                wrong.append(f"{page.relative_to(CHECKOUT)}: {link}")
    assert wrong == []
    assert count > 150


@needs_all
def test_every_command_in_the_pages_is_one_with_such_options() -> None:
    wrong, count = [], 0
    for page in PAGES:
        if page.name == "CHANGELOG.md" or page.parent.name == "decisions":
            continue  # they say what was
        for block in (token.content for token in tokens_of(page) if token.type in ("fence", "code_block")):
            for found in COMMAND.finditer(block):
                count += 1
                why = refused(SHELL.sub("", found["arguments"]))
                wrong += [f"{page.relative_to(CHECKOUT)}: {found[0].strip()}: {why}"] if why else []
    assert wrong == []
    assert count > 200


def refused(arguments: str) -> str:
    """Return why the command line cannot read arguments; empty where it can."""
    command, context = ROOT, CONTEXT
    words = shlex.split(arguments)
    while hasattr(command, "list_commands") and (words or not getattr(command, "invoke_without_command", False)):
        command = command.get_command(context, words[0]) if words else None
        if command is None:
            return "no such command"
        words = words[1:]
    try:
        command.parse_args(type(context)(command, info_name="kg"), words)
    except (TyperException, errors.UsageError) as error:
        return str(error)
    return ""


def test_the_page_on_the_architecture_names_what_there_is() -> None:
    page = (DOCS / "architecture.md").read_text("utf-8")
    names = [
        name for name in re.findall(r"`(\w+(?:\.\w+)+)`", page) if not name.endswith((".md", ".cypher", ".py", ".toml"))
    ]
    assert len(names) > 20
    assert [name for name in names if not is_defined(name)] == []


def is_defined(dotted: str) -> bool:
    found, rest = kg_neo4j, dotted.removeprefix("kg_neo4j.").split(".")
    if find_spec(rest[0]):  # a package beside it
        found = import_module(rest.pop(0))
    while rest and (name := rest.pop(0)):
        module = f"{getattr(found, '__name__', '')}.{name}"
        if not hasattr(found, name) and not (hasattr(found, "__path__") and find_spec(module)):
            return False
        found = getattr(found, name, None) or import_module(module)
    return True


def test_the_page_on_exit_codes_has_those_of_the_errors() -> None:
    page = (DOCS / "reference" / "exit-codes.md").read_text("utf-8")
    kinds = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.KgError)]
    assert {str(kind.exit_code) for kind in kinds} <= set(re.findall(r"^\| (\d+) \|", page, re.MULTILINE))


def test_the_schema_in_the_guide_is_a_schema() -> None:
    page = (DOCS / "how-to" / "schema-file.md").read_text("utf-8")
    whole, *parts = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    read = schema.parse(whole, "the guide")
    assert [set(tomllib.loads(part)) for part in parts] == [
        {"evidence"},
        {"preferred_node_types", "preferred_relationship_types"},
        {"families"},
        {"evidence", "form", "sentences_a_call"},
    ]
    assert (read.name, [column.name for column in read.node_properties]) == ("tickets", ["area"])
    folds, kinds = set(schema.FoldRule), set(schema.ColumnKind)
    assert {str(each) for each in (*folds, *kinds)} <= set(re.findall(r"`(\w+)`", page))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it."""
    target = tmp_path_factory.mktemp("site")
    flags = ["--fail-on-warning", "--keep-going", "--quiet", "--builder", "html"]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *flags, str(DOCS), str(target)], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    return target


@pytest.mark.slow
def test_the_site_has_every_page_and_asks_no_other_host(site: Path) -> None:
    """A page outside of all contents is a warning, too."""
    pages = {path.relative_to(site).with_suffix(".md").as_posix() for path in site.rglob("*.html")}
    written = [*DOCS.rglob("*.md"), *(path.with_suffix(".md") for path in DOCS.rglob("*.ipynb"))]
    assert {path.relative_to(DOCS).as_posix() for path in written} <= pages
    loaded = re.compile(r"""<(?:script|img|iframe)[^>]*src="(?:https?:)?//|<link[^>]*href="(?:https?:)?//""")
    assert [path.name for path in site.rglob("*.html") if loaded.search(path.read_text("utf-8"))] == []
    assert "quarantine" in (site / "searchindex.js").read_text("utf-8")


@pytest.mark.slow
def test_the_reference_has_every_public_name_command_and_report(site: Path) -> None:
    api, commands, reports = (
        (site / "reference" / f"{name}.html").read_text("utf-8") for name in ("python-api", "command-line", "reports")
    )
    assert [name for name in kg_neo4j.__all__ if f'id="kg_neo4j.{name}"' not in api] == []
    assert [name for name in ("load", "db-backup", "eval-answers") if f'id="kg-{name}"' not in commands] == []
    assert [name for query in list_reports() if f'id="{(name := outside_name(query))}"' not in reports] == []
