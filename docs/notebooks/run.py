"""Run the notebooks of docs/notebooks on the database of the settings, and store their outputs: `make notebooks`."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient

CHECKOUT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Run each notebook from the root of the repository; cells keep no times."""
    for path in sorted((CHECKOUT / "docs" / "notebooks").glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(CHECKOUT)}}).execute()
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
            if "outputs" in cell:  # warnings are of the machine
                cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
        notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
        nbformat.write(notebook, path)
        print(path.relative_to(CHECKOUT))


if __name__ == "__main__":
    main()
