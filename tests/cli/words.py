"""What is said in English and in Chinese, compared."""

from __future__ import annotations

import re
from collections import Counter

NUMBERS = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d+)?")
# What an option takes is in capitals.
ENGLISH = re.compile(r"[A-Za-z]{3,}[;:.]? [a-z]{3,}")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
HALF_WIDTH = re.compile(r"[\u4e00-\u9fff] ?[,;:](?: |$)|[\u4e00-\u9fff] ?\([^)]*[\u4e00-\u9fff]", re.MULTILINE)
"""Punctuation of another language behind Chinese words."""
# Names of formats, commands, and texts that an option takes as they are.
_AS_THEY_ARE = (
    *(
        "JSON lines",
        "one row",
        "one value of",
        "--knowledge attacker",
        "--keep shares",
        "`leakgauge release`",
        "`ledger show`",
    ),
    *("--diagram paper", "--fuzzy paper"),
)


def numbers(text: str) -> Counter[str]:
    return Counter(NUMBERS.findall(text))


def english_in(text: str, *names: str) -> list[str]:
    """Words that follow each other in English, beside names and commands."""
    for name in (*_AS_THEY_ARE, *names):
        text = text.replace(name, "·")
    return ENGLISH.findall(text)
