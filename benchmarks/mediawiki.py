"""Reads pages of a real MediaWiki: what comes of tables, code, powers, redirects and languages, and requests a page.

    python benchmarks/mediawiki.py

Expects Debian's packages mediawiki, php-cli, php-sqlite3, php-intl and php-mbstring; installs nothing. The wiki lacks
TextExtracts, lets only users read, is in a temporary folder and listens on loopback alone.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pydantic import SecretStr

from kg_neo4j.acquire import mediawiki, wikipedia
from kg_neo4j.acquire.mediawiki import Site
from kg_neo4j.errors import KgError

ROOT = Path("/usr/share/mediawiki")
PAGES = {
    "Table": '{| class="wikitable"\n! Person !! City\n|-\n| Ines Okafor || Hamburg\n|}',
    "Infobox": '{| class="infobox"\n! Born\n| 4 May 1890, Vienna\n|}',
    "Code": 'Run:\n<syntaxhighlight lang="python">\ndef restart():\n    run()\n</syntaxhighlight>\n* first\n* second',
    "Powers": "10<sup>6</sup> people in the 19<sup>th</sup> century.<ref>A.</ref>\n\nOwner: Dana<br>Reviewed: 2024",
    "Zakład": "Zakład w Hamburgu został otwarty w roku 1912. Jego dyrektorem był Karl Braun, który mieszkał w Grazu.",
    "Isaac Newton": "Isaac Newton was an English physicist.",
    "Newton": "#REDIRECT [[Isaac Newton]]",
    "I. Newton": "#REDIRECT [[Newton]]",
    "Loop": "#REDIRECT [[Pool]]",
    "Pool": "#REDIRECT [[Loop]]",
}


def main() -> None:
    if not (ROOT / "api.php").is_file():
        sys.exit("Debian's package mediawiki is not installed")
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        site = installed(Path(folder), port)
        log = Path(folder, "log")
        with log.open("w") as stream:
            server = subprocess.Popen(["php", "-S", f"127.0.0.1:{port}", "-t", str(ROOT)], stderr=stream)
            try:
                time.sleep(2)
                with mediawiki.open_wiki(site) as wiki:
                    for title in PAGES:
                        before = log.read_text().count("api.php")
                        try:
                            page = wikipedia.read_page(wiki, title, graph="g")
                            said = f"{page.language} {page.redirects} {page.text!r}"
                        except KgError as error:
                            said = f"{type(error).__name__}: {error}"
                        print(f"{log.read_text().count('api.php') - before} requests  {title}: {said}")
            finally:
                server.terminate()
                server.wait()


def installed(folder: Path, port: int) -> Site:
    """Install the wiki, with its pages and a bot password; return how it is asked."""
    address, password = f"http://127.0.0.1:{port}", secrets.token_hex(16)
    (folder / "data").mkdir()
    options = {
        "dbtype": "sqlite",
        "dbpath": f"{folder}/data",
        "scriptpath": "",
        "server": address,
        "confpath": f"{folder}",
    }
    php("install", *(f"--{name}={value}" for name, value in options.items()), f"--pass={password}", "Works", "Admin")
    settings = folder / "LocalSettings.php"
    extensions = "".join(f"wfLoadExtension( '{name}' );\n" for name in ("Cite", "SyntaxHighlight_GeSHi"))
    private = "$wgGroupPermissions['*']['read'] = false;\n"
    settings.write_text(settings.read_text() + extensions + private)
    os.environ["MW_CONFIG_FILE"] = str(settings)
    for title, text in PAGES.items():
        php("edit", "-u", "Admin", title, text=text)
    php("createBotPassword", "--appid", "kg", "--grants", "basic", "Admin", password)
    return Site(url=f"{address}/api.php", username=SecretStr("Admin@kg"), password=SecretStr(password))


def php(script: str, *arguments: str, text: str = "") -> None:
    command = ["php", str(ROOT / "maintenance" / f"{script}.php"), *arguments]
    subprocess.run(command, input=text, text=True, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
