"""Sphinx's settings for the site: `make docs` writes it to out/docs."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from kg_neo4j import __version__

project = "kg-neo4j"
copyright = "the authors of kg-neo4j"
version = release = __version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "generated"]
exclude_patterns = ["_ext"]
default_role = "code"  # docstrings have single backticks
smartquotes = False  # options begin with two hyphens
html_theme = "furo"
html_title = f"kg-neo4j {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
nb_execution_mode = "off"  # `make notebooks` runs them and stores the outputs
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
