"""Prints where llama.cpp stops each line {"grammar", "text"} of standard input, in bytes; null: it accepts the text.

Runs in the environment of the small model, of which it needs the words alone: python llama_accepts.py MODEL < FILE
"""

from __future__ import annotations

import ctypes
import json
import sys

import llama_cpp


def main() -> None:
    model = llama_cpp.Llama(sys.argv[1], vocab_only=True, verbose=False)
    words = llama_cpp.llama_model_get_vocab(model._model.model)
    for line in sys.stdin:
        case = json.loads(line)
        sampler = llama_cpp.llama_sampler_init_grammar(words, case["grammar"].encode(), b"root")
        if not sampler:
            raise SystemExit("llama.cpp refuses the grammar")
        print(json.dumps(stop(model, sampler, case["text"].encode())))
        llama_cpp.llama_sampler_free(sampler)


def stop(model: llama_cpp.Llama, sampler: object, text: bytes) -> int | None:
    """Return the offset of the token that the grammar does not allow; of the end of the text, if more is missing."""
    written = 0
    for token in model.tokenize(text, add_bos=False, special=False):
        if not allows(sampler, token):
            return written
        llama_cpp.llama_sampler_accept(sampler, token)
        written += len(model.detokenize([token]))
    return None if allows(sampler, model.token_eos()) else written


def allows(sampler: object, token: int) -> bool:
    """Return whether a grammar leaves a token its probability."""
    one = (llama_cpp.llama_token_data * 1)(llama_cpp.llama_token_data(token, 0.0, 0.0))
    candidates = llama_cpp.llama_token_data_array(one, 1, -1, False)
    llama_cpp.llama_sampler_apply(sampler, ctypes.byref(candidates))
    return bool(one[0].logit == 0.0)


if __name__ == "__main__":
    main()
