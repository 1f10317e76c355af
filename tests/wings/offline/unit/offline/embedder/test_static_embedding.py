"""The built-in embedder: learned vectors from checked files; every text, in any language, has its place."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kg_neo4j import factory
from kg_neo4j._models.protocols import EmbeddingModel
from kg_neo4j.errors import ModelDamaged
from kg_neo4j.settings import Settings
from kg_neo4j_offline.embedder.static_embedding import (
    FOLDER,
    LOCK,
    PieceVectors,
    StaticEmbedding,
    hashed,
    load,
    signs,
)
from kg_neo4j_offline.embedder.static_words import Weighing
from kg_neo4j_offline.networks import trained

MODEL = StaticEmbedding()
UNRELATED_BELOW = 0.2  # cosine of most questions with texts about something else
CHECKOUT = Path(__file__).resolve().parents[6]


def test_it_is_an_embedding_model_of_the_stated_shape():
    model: EmbeddingModel = StaticEmbedding()
    vectors = model.embed(["Humboldt climbed Chimborazo.", "Kosmos"])
    assert (model.name, model.dimension, model.max_tokens) == ("static-minilm-384-1", 384, 100_000)
    assert vectors.shape == (2, 384)
    assert vectors.dtype == np.float32


def test_it_is_what_is_used_without_a_server_and_the_former_one_where_it_is_named():
    assert factory.embedding_model(Settings()).name == "static-minilm-384-1"
    former = Settings(embedding_model="hashed-ngram-256-1")
    assert factory.embedding_model(former).name == "hashed-ngram-256-1"
    assert factory.embeds_built_in(former)


@pytest.mark.parametrize(
    "text",
    ["", " ", "...", "!?", "\n\n", "—", "the the of", "a", "٣", "北京", "🙂", "\ud800", "x" * 5000, "Łódź", "ﬁ", "́"],
)
def test_every_text_gets_a_unit_vector(text: str):
    vector = MODEL.embed([text])[0]
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_no_texts_give_no_rows():
    assert MODEL.embed([]).shape == (0, 384)


def test_rows_keep_the_order_and_do_not_depend_on_their_neighbours():
    texts = ["Freiberg", "Quito and Lima", "Freiberg"]
    together = MODEL.embed(texts)
    assert (together[0] == together[2]).all()
    assert (together[1] == StaticEmbedding().embed([texts[1]])[0]).all()


@pytest.mark.parametrize("seed", ["0", "4242"])
def test_vectors_do_not_depend_on_the_hash_seed(seed: str):
    code = (
        "import hashlib; from kg_neo4j_offline.embedder.static_embedding import StaticEmbedding as S;"
        "print(hashlib.sha256(S().embed(['Aimé Bonpland in Cumaná, 1799']).round(5).tobytes()).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    here = hashlib.sha256(MODEL.embed(["Aimé Bonpland in Cumaná, 1799"]).round(5).tobytes()).hexdigest()
    assert run.stdout.strip() == here


def test_meaning_brings_texts_near_that_share_no_word():
    question, near, far = MODEL.embed(["The physician healed patients.", "A doctor cures illness", "A tax on timber"])
    assert question @ near > question @ far + 0.1


def test_the_stated_level_separates_questions_on_the_text_from_foreign_ones():
    text = (CHECKOUT / "examples" / "alexander_von_humboldt.md").read_text(encoding="utf-8")
    passages = MODEL.embed([part for part in text.split("\n\n") if len(part) > 80])
    related = ["Who was Aimé Bonpland?", "Who taught at the Mining Academy of Freiberg?", "Who met Thomas Jefferson?"]
    foreign = ["How does a transistor amplify current?", "What is the capital of Australia?", "Who invented pancakes?"]
    assert (MODEL.embed(related) @ passages.T).max(axis=1).min() > UNRELATED_BELOW
    assert np.median((MODEL.embed(foreign) @ passages.T).max(axis=1)) < UNRELATED_BELOW


def test_a_rare_name_is_found_where_it_stands_again():
    question, same, other = MODEL.embed(["Who was Xiltharqua?", "Xiltharqua sold salt.", "Brondovik sold salt."])
    assert question @ same > question @ other + 0.1


@pytest.mark.parametrize(
    ("question", "same", "other"),
    [
        (
            "Gdzie urodził się Wokulski?",
            "Wokulskiego spotkano na Krakowskim Przedmieściu.",
            "Rzecki otworzył sklep rano.",
        ),
        ("Где родился Пушкин?", "Пушкина знали все.", "Погода была хорошая."),
        ("北京在哪里?", "他住在北京。", "我喜欢喝茶。"),
    ],
)
def test_names_in_other_languages_are_found_in_other_cases(question: str, same: str, other: str):
    asked, near, far = MODEL.embed([question, same, other])
    assert asked @ near > asked @ far


def test_words_that_are_alike_have_alike_hashes_only_where_parts_count():
    apart = hashed("wokulski", 384, 0.0) @ hashed("wokulskiego", 384, 0.0)
    alike = hashed("wokulski", 384, 0.5) @ hashed("wokulskiego", 384, 0.5)
    assert abs(apart) < 0.15
    assert alike > 0.25


def test_signs_are_those_of_the_hash():
    bits = "".join(f"{byte:08b}" for byte in hashlib.shake_128(b"word").digest(2))
    assert [value > 0 for value in signs("word", 16)] == [bit == "1" for bit in bits]
    assert np.linalg.norm(signs("word", 16)) == pytest.approx(1)


def test_what_is_written_is_read_again(tmp_path: Path):
    tiny = PieceVectors(
        "tiny-1",
        ("a", "##b"),
        np.array([[1, -2], [127, 0]], np.int8),
        np.array([0.5, 0.25], np.float32),
        np.array([0.0, 1.0], np.float32),
        Weighing(2.0, 1.0, 10.0),
        1.5,
        0.25,
    )
    tiny.write(tmp_path)
    again = PieceVectors.read(tmp_path)
    assert (again.vectors == tiny.vectors).all()
    assert (again.scale == tiny.scale).all()
    assert (again.rarity == tiny.rarity).all()
    assert (again.name, again.pieces, again.weighing) == (tiny.name, tiny.pieces, tiny.weighing)
    assert (again.hashed, again.ngrams) == (1.5, 0.25)
    assert StaticEmbedding(again).embed(["a"])[0] == pytest.approx(np.array([1, -2]) / 5**0.5, abs=1e-6)


def test_the_files_are_those_of_the_lock_and_small_enough():
    trained.verify(FOLDER, LOCK)
    assert sum(size for _, size, _ in trained.read_lock(LOCK).files) < 25_000_000


@pytest.mark.parametrize("name", ["vectors.npz", "pieces.txt", "settings.json"])
def test_a_file_that_was_altered_is_not_loaded(tmp_path: Path, name: str):
    folder = tmp_path / "embedder"
    shutil.copytree(FOLDER, folder)
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(ModelDamaged, match=name):
        load(folder, LOCK)


def test_a_file_that_is_missing_is_named(tmp_path: Path):
    shutil.copytree(FOLDER, tmp_path / "embedder")
    (tmp_path / "embedder" / "pieces.txt").unlink()
    with pytest.raises(ModelDamaged, match=r"pieces\.txt is missing"):
        load(tmp_path / "embedder", LOCK)
