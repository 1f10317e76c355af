"""The names of vector indexes, which say whose vectors they hold. Pure.

kg_chunk_vector_static_minilm_384_1_384 holds vectors of chunks by the model static-minilm-384-1, of 384 numbers. Names
have letters, digits and `_` only, so that they need no quotes. Two models never have the same name: a hyphen becomes
`_`, each byte of another sign `__` and two digits in base 16; so does a hyphen that no letter or digit follows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SIGN = re.compile(r"-(?![A-Za-z0-9])|[^A-Za-z0-9-]")
_ENCODED = re.compile(r"((?:__[0-9a-f]{2})+)|_")
_NAME = re.compile(r"kg_(?P<label>[a-z]+)_vector_(?P<model>\w+)_(?P<dimension>[0-9]+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """Which vectors a graph has: the embedding model's name, and the length of each."""

    name: str
    dimension: int

    def index_name(self, label: str) -> str:
        """Return the name of the vector index over nodes of `label`, a public label such as "Chunk"."""
        signs = _SIGN.sub(lambda sign: "".join(f"__{byte:02x}" for byte in sign[0].encode()), self.name)
        return f"kg_{label.lower()}_vector_{signs.replace('-', '_')}_{self.dimension}"


def space_of(index_name: str, label: str) -> VectorSpace | None:
    """Return whose vectors an index over nodes of `label` holds; None for a name that is not ours."""
    found = _NAME.fullmatch(index_name)
    if found is None or found["label"] != label.lower():
        return None
    try:
        model = _ENCODED.sub(
            lambda sign: bytes.fromhex(sign[1].replace("__", "")).decode() if sign[1] else "-", found["model"]
        )
    except UnicodeDecodeError:
        return None
    return VectorSpace(model, int(found["dimension"]))
