"""Columns that identify people: by values that hardly repeat, by the column's name, or by the format of the values.

Nothing here proves that a column identifies nobody; it catches what a steward would regret publishing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from leakgauge.sentences import Sentence
from leakgauge.tables import Column, Kind

NEARLY_ALL: Final = 0.9
"""The share of unique values from which a column identifies people."""
FEWEST_ROWS: Final = 30
"""In a smaller table, numbers may differ in every row without identifying anybody."""
_LOOKED_AT: Final = 1000
"""Different values whose writing is looked at."""
_MOST: Final = 0.8
"""The share of them that must be written so."""
_FEWEST_NAMED: Final = 20
"""With fewer different values a column called ``name`` or ``phone`` holds something else, such as kinds of phones."""
_FEWEST_NUMBERED: Final = 100
"""The same for one called ``id`` or ``number``, which often counts a few regions or types."""

_NAMED: Final = re.compile(
    "name|firstname|lastname|surname|forename|fullname|realname|username|login|email|mail|phone|telephone|mobile|"
    "cellphone|fax|ssn|nin|passport|iban|plate|licence|license|vin|imei|imsi|mac|address|street|wechat|qq"
)
_NUMBERED: Final = re.compile(
    "ids?|uuid|guid|uid|pid|identifier|number|no|nr|account|serial|key|person|patient|customer|client|employee|member|"
    "user|citizen|student|participant|respondent|household"
)
_OF_A_THING: Final = re.compile("country|city|state|region|province|product|company|brand|department|species|category")
"""Beside ``name`` these make it the name of something else."""
_NAMED_IN_CHINESE: Final = re.compile(
    "姓名|名字|身份证|证件号|手机|电话|邮箱|邮件|车牌|护照|银行卡|卡号|账号|帐号|学号|工号|病历号|住院号|社保号|医保号|微信|"
    "住址|地址|用户名"
)
_NUMBERED_IN_CHINESE: Final = re.compile("编号|序号|流水号")
_SURNAMES: Final = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖"
    "贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
_CARD_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def _is_identity_card(text: str) -> bool:
    """Whether it is a number of a Chinese identity card, check digit included (GB 11643-1999)."""
    if not re.fullmatch(r"\d{17}[\dXx]", text):
        return False
    total = sum(int(digit) * weight for digit, weight in zip(text, _CARD_WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == text[17].upper()


def _written(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda text: compiled.fullmatch(text) is not None


_WRITINGS: Final[tuple[tuple[Sentence, Callable[[str], bool]], ...]] = (
    (Sentence("written like e-mail addresses"), _written(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")),
    (Sentence("written like numbers of identity cards"), _is_identity_card),
    (
        Sentence("written like telephone numbers"),
        _written(r"1[3-9]\d{9}|\+\d{1,3}[ -]?[\d ()-]{6,14}\d|\(?\d{3}\)?[ -]\d{3}-\d{4}"),
    ),
    (
        Sentence("written like number plates"),
        _written(r"[\u4e00-\u9fff][A-Z][·\s]?[A-Z0-9]{5,6}|[A-Z]{2}\d{2}\s?[A-Z]{3}"),
    ),
    (Sentence("written like account numbers"), _written(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}|\d{16}|\d{4}( \d{4}){3}")),
    (Sentence("written like network addresses"), _written(r"(\d{1,3}\.){3}\d{1,3}|([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}")),
    (
        Sentence("written like random identifiers"),
        _written(r"[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9a-f]{32,64}"),
    ),
)
_NAMES: Final = (
    _written(rf"[{_SURNAMES}][\u4e00-\u9fff]{{1,3}}"),
    _written(r"[A-Z][A-Za-z'’-]+(,? [A-Z][A-Za-z'’.-]*){1,3}"),
)
_REPEATED: Final = 10
"""Rows per value from which what is written like names is rather places or jobs."""


def identifies(column: Column, values: pa.Array, *, distinct: int, alone: int, rows: int) -> Sentence | None:
    """Why a column identifies people, as a short reason; None if nothing suggests that it does.

    Args:
        values: of some rows.
        distinct: different values in the table.
        alone: rows of the table whose value no other row has.
    """
    if rows >= FEWEST_ROWS and alone >= NEARLY_ALL * rows:
        return Sentence("nearly all values are unique")
    named = named_like(column.name, distinct, rows)
    if named is not None:
        return named
    if column.kind not in (Kind.STRING, Kind.INT) or distinct < _FEWEST_NAMED:
        return None
    texts = _texts(values)
    if distinct * _REPEATED >= rows and any(_mostly(texts, fits) for fits in _NAMES):
        return Sentence("written like names of people")
    return next((reason for reason, fits in _WRITINGS if _mostly(texts, fits)), None)


def named_like(name: str, distinct: int, rows: int) -> Sentence | None:
    """Why a column with this many values identifies people, by its name; None if it need not."""
    words, half = _words(name), rows / 2
    person = any(map(_NAMED.fullmatch, words)) and not any(map(_OF_A_THING.fullmatch, words))
    if distinct >= min(_FEWEST_NAMED, half) and (person or _NAMED_IN_CHINESE.search(name)):
        return Sentence("its name suggests a person's name, number or address")
    numbered = any(map(_NUMBERED.fullmatch, words)) or _NUMBERED_IN_CHINESE.search(name)
    if distinct >= min(_FEWEST_NUMBERED, half) and numbered:
        return Sentence("its name suggests a number of a person or thing")
    return None


def is_free_text(column: Column, values: pa.Array) -> bool:
    """Whether most values are sentences, which may contain anything."""
    return column.kind is Kind.STRING and _mostly(_texts(values), _is_sentence)


def _is_sentence(text: str) -> bool:
    return len(text.split()) >= 5 or len(re.findall(r"[\u4e00-\u9fff]", text)) >= 12


def _words(name: str) -> list[str]:
    """The words of a column's name, ``firstName`` and ``first_name`` alike, and neighbouring ones joined."""
    words = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    return [*words, *(first + second for first, second in pairwise(words))]


def _texts(values: pa.Array) -> Sequence[str]:
    different = pc.unique(values.drop_null())
    return [str(value).strip() for value in different.slice(0, _LOOKED_AT).to_pylist()]


def _mostly(texts: Sequence[str], fits: Callable[[str], bool]) -> bool:
    return bool(texts) and sum(map(fits, texts)) >= _MOST * len(texts)
