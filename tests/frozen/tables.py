"""The tables and small files that the frozen commands read: made from seeds, the same everywhere."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

from leakgauge.jobs.samples import adult_csv

_CITIES = {"Northport": ("North", "Coast"), "Eastham": ("East", "Inland"), "Southfield": ("South", "Inland")}
_ILLNESSES = ("none", "cold", "asthma", "diabetes", "rare fever")


def make_tables(folder: Path) -> None:
    """Write every table and file that a frozen command may name."""
    (folder / "adult.csv").write_text(adult_csv(), encoding="utf-8")
    _people(folder / "people.csv", 600, seed=1)
    _people(folder / "february.csv", 500, seed=2)
    _panel(folder / "panel.csv")
    _warts(folder / "warts.csv")
    _numbers(folder / "numbers.csv")
    _chinese(folder / "chinese.csv")
    _places(folder / "pings.csv")
    (folder / "cities.csv").write_text(
        "".join(f"{city},{side},{land}\n" for city, (side, land) in _CITIES.items()), encoding="utf-8"
    )
    (folder / "weights.csv").write_text(
        "label,value\n" + "".join(f"{name},{at + 1}\n" for at, name in enumerate(_ILLNESSES)), encoding="utf-8"
    )
    (folder / "policy.toml").write_text("min_protection = 50\nmin_usefulness = 5\nmax_alone = 0.5\n", encoding="utf-8")
    (folder / "plan.toml").write_text(
        'public = ["city"]\n[columns]\nillness = "randomized-response:epsilon=1,letters=this-table"\n', encoding="utf-8"
    )
    (folder / "queries.txt").write_text("city=Northport\nage>=40\nsex=female\n", encoding="utf-8")


def _write(file: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)


def _person(draw: Random) -> tuple[str, str, int, str]:
    city, sex, age = draw.choice(list(_CITIES)), draw.choice(("female", "male")), draw.randint(18, 90)
    odds = (50, 20, 12 if city == "Eastham" else 6, age // 5, 1)
    return city, sex, age, draw.choices(_ILLNESSES, odds)[0]


def _people(file: Path, rows: int, seed: int) -> None:
    draw = Random(seed)
    made = []
    for at in range(rows):
        city, sex, age, illness = _person(draw)
        smoker = "yes" if draw.random() < (0.5 if illness == "asthma" else 0.2) else "no"
        made.append((f"p{at:05}", city, sex, age, smoker, illness))
    _write(file, ("id", "city", "sex", "age", "smoker", "illness"), made)


def _panel(file: Path) -> None:
    """Persons with six rows each."""
    draw = Random(3)
    made = []
    for person in range(150):
        city, sex, _, illness = _person(draw)
        for month in range(1, 7):
            visit = illness if draw.random() < 0.9 else draw.choice(_ILLNESSES)
            made.append((person, month, city, sex, visit))
    _write(file, ("person", "month", "city", "sex", "illness"), made)


def _warts(file: Path) -> None:
    """Missing values, quotes, commas, signs in names, decimals with a comma, written dates and truth values."""
    draw = Random(4)
    made = []
    for at in range(300):
        city, sex, age, illness = _person(draw)
        made.append(
            (
                f"0{at:03}",
                "?" if draw.random() < 0.05 else sex,
                f'the "{city}", old town',
                f"{age / 2:.1f}".replace(".", ","),
                f"{draw.randint(1, 28):02}/{draw.randint(1, 12):02}/20{draw.randint(10, 24)}",
                draw.choice(("true", "false")),
                "" if draw.random() < 0.1 else illness,
            )
        )
    _write(file, ("number", "sex = gender", "home, town", "score", "born", "member", "illness"), made)


def _numbers(file: Path) -> None:
    draw = Random(5)
    made = []
    for _ in range(500):
        city, sex, age, _illness = _person(draw)
        cost = round(draw.lognormvariate(6.5, 0.7) * (1.3 if city == "Eastham" else 1.0), 2)
        made.append((city, sex, age, draw.choice((1.0, 2.0, 3.0, 4.0, 5.0)), cost))
    _write(file, ("city", "sex", "age", "stars", "cost"), made)


def _chinese(file: Path) -> None:
    draw = Random(6)
    rows = [
        (
            draw.choice(("北京", "上海", "广州")),
            draw.choice(("男", "女")),
            draw.choices(("无", "感冒", "哮喘"), (6, 3, 1))[0],
        )
        for _ in range(400)
    ]
    _write(file, ("城市", "性别", "疾病"), rows)


def _places(file: Path) -> None:
    draw = Random(7)
    homes = [(40.70 + draw.random() * 0.06, -74.02 + draw.random() * 0.06) for _ in range(40)]
    rows = [
        (f"u{user}", f"2026-03-02T{8 + hour:02}:00:00", *(round(at + draw.gauss(0, 0.004), 6) for at in home))
        for user, home in enumerate(homes)
        for hour in range(12)
    ]
    _write(file, ("user", "time", "latitude", "longitude"), rows)
