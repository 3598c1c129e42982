"""Columns that may hold special categories of data, by their names and values: a suggestion, never a verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from leakgauge.languages import message
from leakgauge.telling.voice import Voice

_CATEGORIES: Final[Mapping[str, str]] = {
    message("health"): (
        "health illness disease diagnosis diagnoses disability disabled hiv aids cancer asthma diabetes influenza "
        "covid medication drug therapy treatment symptom patient hospital icd pregnancy pregnant depression 健康 疾病 "
        "病史 病症 诊断 残疾 用药 药物 治疗 患者 住院 怀孕 癌症 糖尿病 哮喘 艾滋 抑郁"
    ),
    message("religion or belief"): (
        "religion religious faith church belief muslim christian catholic protestant jewish hindu buddhist islam "
        "atheist 宗教 信仰 教会 佛教 道教 基督教 天主教 伊斯兰教 穆斯林"
    ),
    message("ethnicity"): "ethnicity ethnic race racial tribe 民族 种族 族裔 汉族 回族 藏族 维吾尔族 蒙古族",
    message("political opinion or vote"): (
        "vote voted voting ballot party politics political election 投票 选票 党派 政党 政治面貌 政治观点 中共党员"
    ),
    message("membership of a trade union"): "union unions 工会",
    message("sex life or sexual orientation"): (
        "sexual sexuality gay lesbian bisexual heterosexual homosexual 性取向 性生活 同性恋 异性恋 双性恋"
    ),
    message("biometrics or genes"): (
        "biometric biometrics fingerprint fingerprints iris retina faceprint voiceprint genetic genome genotype dna "
        "生物识别 指纹 虹膜 人脸 声纹 基因 遗传"
    ),
}
"""Words of each category in English and Chinese, apart by spaces."""
_LATIN: Final = re.compile(r"[a-z]+")
_PARTS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
BY_NAME: Final = message("its name")
BY_VALUES: Final = message("its values")


def category_of(text: str) -> str | None:
    """The category that a name or a value suggests; None where none does.

    Example:
        >>> category_of("trade_union"), category_of("宗教信仰"), category_of("unionised")
        ('membership of a trade union', 'religion or belief', None)
    """
    words = set(_LATIN.findall(_PARTS.sub(" ", text).casefold()))
    for category, known in _CATEGORIES.items():
        for one in known.split():
            # Chinese is written without spaces between words.
            if one in words if one.isascii() else one in text:
                return category
    return None


def suggested(voice: Voice) -> Iterator[tuple[str, str, str]]:
    """Each column that may be of a category, the category, and whether its name or its values suggest it.

    Of the values only those are looked at that the dossier has: of secrets with few of them. None is ever shown.
    """
    values = dict(_values(voice))
    for column in dict.fromkeys((*_columns(voice), *values)):
        by_name, by_values = category_of(column), next(filter(None, map(category_of, values.get(column, ()))), None)
        if by_name is not None:
            yield column, by_name, BY_NAME
        elif by_values is not None:
            yield column, by_values, BY_VALUES


def _columns(voice: Voice) -> Iterator[str]:
    if voice.foreign is not None:
        yield from (*voice.foreign.secrets, *(one.name for one in voice.foreign.columns))
    if voice.dossier.job is not None:
        yield from (one.name for one in voice.dossier.job.table.columns)
    elif voice.dossier.plan is not None:
        yield from (*voice.dossier.plan.columns, *voice.dossier.plan.public)


def _values(voice: Voice) -> Iterator[tuple[str, tuple[str, ...]]]:
    for one in voice.dossier.secrets:
        for name, column in ({} if one.utility is None else one.utility.columns).items():
            yield name, tuple(text for each in column.shares for text in each.value if text is not None)
