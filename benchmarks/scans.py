"""How well pages without a text layer are read: twenty pages in English, German and Polish, printed and degraded.

python benchmarks/scans.py
python benchmarks/scans.py --tesseract    # Debian's tesseract-ocr, tesseract-ocr-deu, tesseract-ocr-pol

The texts are our own (tests/data/scans/pages.json). Pages 0 to 9 were used to choose settings, pages 10 to 19 were not.
Needs the fonts DejaVu and Liberation. Recall is the share of words that are found, with their accents.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import random
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from rapidfuzz.distance import Levenshtein

from kg_neo4j.acquire.readers import kinds
from kg_neo4j.acquire.sandbox import Sandbox

PAGES = Path(__file__).resolve().parent.parent / "tests" / "data" / "scans" / "pages.json"
FONTS = Path("/usr/share/fonts/truetype")
FACES = [
    *("dejavu/DejaVuSerif", "liberation/LiberationSans-Regular"),
    *("dejavu/DejaVuSans", "liberation/LiberationSerif-Regular"),
]
LANGUAGES = {"en": "eng", "de": "deu", "pl": "pol"}


@dataclass
class Level:
    """How badly a page is damaged. Blur is in pixels at 200 dpi."""

    turn: float
    blur: float
    noise: float
    shade: float
    paper: int
    ink: int
    jpeg: int


LEVELS = {
    "light": Level(0.5, 0.3, 0.0005, 0.03, 245, 20, 70),
    "medium": Level(1.2, 0.8, 0.003, 0.15, 225, 55, 55),
    "heavy": Level(2.0, 1.15, 0.010, 0.35, 200, 85, 40),
}


def wrap(draw: ImageDraw.ImageDraw, text: str, font: ImageFont.FreeTypeFont, width: float) -> list[str]:
    """Break one paragraph into lines that fit the width."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if draw.textlength(longer, font=font) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def draw_page(page: dict[str, Any], number: int, dpi: int, ink: int) -> Image.Image:
    """Draw the page clean, dark on white, on A4 paper."""
    size = (9 + number % 4) * dpi / 72
    font = ImageFont.truetype(FONTS / f"{FACES[number % 4]}.ttf", size)
    image = Image.new("L", (int(8.27 * dpi), int(11.69 * dpi)), 255)
    draw = ImageDraw.Draw(image)
    margin, step = 0.9 * dpi, size * 1.3
    columns = page.get("columns", 1)
    gap = 0.3 * dpi
    width = (image.width - 2 * margin - gap * (columns - 1)) / columns
    title, *paragraphs = page["text"].split("\n\n")
    big = ImageFont.truetype(FONTS / f"{FACES[number % 4]}.ttf", size * 1.4)
    draw.text((margin, margin), title, ink, font=big)
    top = margin + step * 2
    lines = [line for paragraph in paragraphs for line in [*wrap(draw, paragraph, font, width), ""]]
    share = math.ceil(len(lines) / columns)
    for index, line in enumerate(lines):
        column, row = divmod(index, share)
        draw.text((margin + column * (width + gap), top + row * step), line, ink, font=font)
    y = top + share * step
    for row in page.get("table", []):
        cell = (image.width - 2 * margin) / len(row)
        for index, text in enumerate(row):
            draw.rectangle((margin + index * cell, y, margin + (index + 1) * cell, y + step * 1.4), outline=ink)
            draw.text((margin + index * cell + size * 0.5, y + step * 0.15), text, ink, font=font)
        y += step * 1.4
    return image


def degrade(image: Image.Image, level: Level, dpi: int, dice: random.Random) -> Image.Image:
    """Turn, blur, shade and speckle a clean page and save it as a poor JPEG."""
    image = image.rotate(
        dice.choice([-1, 1]) * dice.uniform(0.6, 1) * level.turn, Image.Resampling.BICUBIC, fillcolor=255
    )
    pixels = np.asarray(image.filter(ImageFilter.GaussianBlur(level.blur * dpi / 200)), dtype=float) / 255
    noise = np.random.default_rng(dice.randrange(2**32))
    grain = noise.normal(0, 6, pixels.shape)
    spots = noise.random(pixels.shape)
    height, width = pixels.shape
    light = 1 - level.shade * (np.linspace(0, 1, width)[None, :] + np.linspace(0, 1, height)[:, None]) / 2
    pixels = pixels * level.paper * light + grain
    pixels[spots < level.noise] = 255
    pixels[spots > 1 - level.noise] = level.ink
    stream = io.BytesIO()
    Image.fromarray(pixels.clip(0, 255).astype("uint8")).save(stream, "JPEG", quality=level.jpeg)
    return Image.open(stream)


def make_pdf(page: dict[str, Any], number: int, seed: int) -> bytes:
    """Make a PDF that holds one page as an image only."""
    dice = random.Random(seed * 1000 + number)
    dpi = dice.choice([150, 200, 300])
    level = LEVELS[page["level"]]
    image = degrade(draw_page(page, number, dpi, level.ink), level, dpi, dice)
    image = image.rotate(page.get("turn", 0), expand=True)
    stream = io.BytesIO()
    image.save(stream, "PDF", resolution=dpi, quality=level.jpeg)
    return stream.getvalue()


def tesseract(pdf: bytes, language: str) -> str:
    """Return what tesseract reads, at 200 dpi, with its best settings on pages 0 to 9."""
    stream = io.BytesIO()
    pypdfium2.PdfDocument(pdf)[0].render(scale=200 / 72, grayscale=True).to_pil().save(stream, "PPM")
    command = ["tesseract", "-", "-", "--dpi", "200", "-l", language, "--psm", "1", "-c", "thresholding_method=2"]
    done = subprocess.run(command, input=stream.getvalue(), capture_output=True, check=True)
    return done.stdout.decode()


def words_of(text: str) -> list[str]:
    """Return words and numbers without the marks around them."""
    return re.findall(r"\w+(?:[.,:'/-]\w+)*", text.replace("\u2019", "'"))


def main() -> None:
    """Print a line for each page, then medians and means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tesseract", action="store_true", help="read with tesseract, which is told the language")
    given = parser.parse_args()
    pages = json.loads(PAGES.read_text(encoding="utf-8"))
    rows = []
    print("page language  level   recall  errors      s  note")
    with Sandbox() as sandbox:
        for number, page in enumerate(pages):
            pdf = make_pdf(page, number, 1)
            start, note = time.perf_counter(), ""
            if given.tesseract:
                text = tesseract(pdf, LANGUAGES[page["lang"]])
            else:
                parsed = sandbox.parse(kinds()[".pdf"], pdf)
                text, note = parsed.text.replace(" | ", " "), parsed.left_out.partition("; ")[2]
            seconds = time.perf_counter() - start
            true = " ".join([page["text"], *(cell for row in page.get("table", []) for cell in row)])
            wanted, found = words_of(true), words_of(text)
            recall = sum((Counter(wanted) & Counter(found)).values()) / len(wanted)
            flat = " ".join(true.split())
            errors = Levenshtein.distance(flat, " ".join(text.split())) / len(flat)
            rows.append((number, page["lang"], recall, errors, seconds))
            print(f"{number:4} {page['lang']:8} {page['level']:7} {recall:7.3f} {errors:7.3f} {seconds:6.1f}  {note}")
    for name, chosen in (
        ("seen", [row for row in rows if row[0] < 10]),
        ("unseen", [row for row in rows if row[0] >= 10]),
        *((f"{language}, all", [row for row in rows if row[1] == language]) for language in LANGUAGES),
    ):
        means = [statistics.mean(row[place] for row in chosen) for place in (2, 3)]
        seconds = statistics.median(row[4] for row in chosen)
        print(f"{name:12} {len(chosen):3} pages: recall {means[0]:.3f}, errors {means[1]:.3f}, median {seconds:.1f} s")


if __name__ == "__main__":
    sys.exit(main())
