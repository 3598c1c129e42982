"""How recipients read the columns of a release: from its record, and nothing that the release or record keeps back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import leakgauge as lg
from leakgauge.artefacts.estimates import Kit, Method
from leakgauge.errors import OptionError
from leakgauge.probability import Channel, Distribution, PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Simulated
from leakgauge.release import Release, ReleasePlan, release
from leakgauge.release.estimates import write_kit
from leakgauge.release.estimates.handed_out import CHOSEN, CLAMPED, SEVERAL, UNSEEN, keeps_shares, readings
from leakgauge.release.estimates.kit import INSIDE
from leakgauge.release.estimates.shares import counted_shares
from leakgauge.release.plan import Planned
from leakgauge.release.recorded_plan import plan_of
from leakgauge.tables import open_table
from tests.release.estimates.keeping import keeping
from tests.release.estimates.test_estimate import Z2
from tests.release.estimates.test_kit import agrees, contents, script
from tests.rscripts import run_r

ILLNESSES = ("flu", "none", "cold")
SHARES = np.array([0.3, 0.6, 0.1])


def people(n: int = 900) -> pa.Table:
    rng = np.random.default_rng(3)
    illness = np.repeat(ILLNESSES, (n * SHARES).round().astype(int))
    city = np.where(rng.random(n) < np.where(illness == "flu", 0.7, 0.4), "A", "B")
    unknown = rng.random(n) < 0.2
    return pa.table(
        {
            "illness": illness,
            "city": city,
            "age": rng.integers(20, 80, n),
            "child": rng.random(n) < 0.3,
            "code": rng.integers(1, 4, n),
            "asked": pa.array(illness, mask=unknown),
        }
    )


def released(folder: Path, column: str, how: Planned) -> Release:
    """One column released beside the cities."""
    plan = ReleasePlan({column: how}, ["city"])
    return release(plan, open_table(people()), folder / "release.csv", randomness=Simulated(7))


def handed_out(made: Release, *, chosen: bool = False, publish: bool = False) -> Kit:
    """The kit of a release, as a job would write it."""
    plan = plan_of(made.record, made.record_file)
    read = readings(plan, made.record.plan, made.output, chosen_from_table=chosen, publish_shares=publish)
    columns, origins = [one.column for one in read], {one.column.name: one.origin for one in read if one.origin}
    return write_kit(made.output.with_name("kit"), made.output, columns, origins=origins, publish_shares=publish)


@pytest.mark.parametrize(
    ("column", "mechanism"),
    [
        ("illness", "randomized-response:epsilon=2,letters=flu|none|cold"),
        ("illness", "randomized-response:epsilon=2,letters=this-table"),
        ("asked", "randomized-response:epsilon=2,letters=this-table"),
        ("child", "randomized-response:epsilon=2,letters=this-table"),
        ("code", "keep-or-redraw:epsilon=2,letters=this-table"),
        ("illness", "sampled-randomized-response:epsilon=2,sampling_probability=0.5,letters=this-table"),
        ("asked", "unary-encoding:epsilon=2,letters=this-table"),
        ("code", "subset-selection:epsilon=1,letters=this-table"),
    ],
)
def test_mechanisms_with_public_parameters_are_corrected_for(tmp_path: Path, column: str, mechanism: str) -> None:
    kit = handed_out(released(tmp_path, column, mechanism))
    (read,) = kit.protected
    assert read.channel == "channel-1.json" and kit.published == ("city",)
    found = lg.estimate(tmp_path / "kit")
    # The kit says what the release with its channel says.
    channel = {column: str(tmp_path / "kit" / "channel-1.json")}
    table = lg.estimate(tmp_path / "release.csv", channel).crosstab(column, "city")
    assert found.crosstab(column, "city") == table
    if column in ("asked", "child"):
        # Missing values, truths and sets of letters, as a CSV file has them.
        assert agrees(script(tmp_path / "kit", column, "city")[1], table)
        assert agrees(run_r(tmp_path / "kit" / "estimate.R", column, "city")[1], table)
    shares = people()[column].value_counts().to_pylist()
    truth = {_text(one["values"]): one["counts"] / 900 for one in shares}
    hits = [truth[cell.value] in cell.estimate for cell in found.shares(column).cells]
    assert sum(hits) >= len(hits) - 1


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def test_noise_has_a_mean_and_clamped_noise_has_none(tmp_path: Path) -> None:
    noisy = "laplace:epsilon=1,lower=20,upper=80"
    (read,) = handed_out(released(tmp_path, "age", noisy)).protected
    assert read.noise is not None and read.noise.variance == pytest.approx(2 * 60**2, rel=0.01)
    assert np.mean(people()["age"].to_numpy()) in lg.estimate(tmp_path / "kit").mean("age").cells[0].estimate
    (tmp_path / "clamped").mkdir()
    kit = handed_out(released(tmp_path / "clamped", "age", f"{noisy},clamp=yes"))
    assert [one.unreadable for one in kit.protected] == [CLAMPED]
    with pytest.raises(OptionError, match=r"^Column 'age' cannot be estimated: its numbers were clamped to .*\.$"):
        lg.estimate(tmp_path / "clamped" / "kit").mean("age")
    # What is published stays usable, in the library and in the script.
    assert lg.estimate(tmp_path / "clamped" / "kit").shares("city").method is Method.AS_PUBLISHED
    code, said = script(tmp_path / "clamped" / "kit")
    assert code == 0 and "age cannot be estimated: its numbers were clamped" in said


def designed(origin: PriorOrigin | None) -> NamedChannel:
    return NamedChannel(Channel(ILLNESSES, ILLNESSES, keeping(SHARES, 0.2)), ("illness",), ("illness",), origin)


@pytest.mark.parametrize(
    ("origin", "inside"),
    [
        (PriorOrigin.PUBLIC, False),
        (PriorOrigin.NOISY_HISTOGRAM, False),
        (PriorOrigin.THIS_TABLE, True),
        # It tells the counts of that table, which are nobody's business either.
        (PriorOrigin.ANOTHER_TABLE, True),
        (None, True),
    ],
)
def test_the_origin_decides_which_channels_are_handed_out(
    tmp_path: Path, origin: PriorOrigin | None, inside: bool
) -> None:
    made = released(tmp_path, "illness", designed(origin))
    (read,) = handed_out(made).protected
    assert (read.channel is None) is inside and read.unreadable == (INSIDE if inside else None)
    assert bool(list((tmp_path / "kit").glob("channel*"))) is not inside
    # Where it was chosen by what it does to the table even its form stays unsaid.
    (chosen,) = handed_out(made, chosen=True).protected
    assert chosen.unreadable == CHOSEN and not list((tmp_path / "kit").glob("channel*"))
    # And the steward may declare that it may be known.
    (declared,) = handed_out(made, chosen=True, publish=True).protected
    assert declared.channel is not None


def test_values_that_only_the_mechanism_knows_stay_unsaid(tmp_path: Path) -> None:
    letters = "|".join(f"v{at:02}" for at in range(30))
    table = pa.table({"illness": letters.split("|"), "city": ["A"] * 30})
    made = release(
        ReleasePlan({"illness": "randomized-response:epsilon=0.1,letters=this-table"}, ["city"]),
        open_table(table),
        tmp_path / "release.csv",
        randomness=Simulated(1),
    )
    plan = plan_of(made.record, made.record_file)
    (read,) = readings(plan, made.record.plan, made.output)
    assert read.column.unreadable == UNSEEN
    write_kit(tmp_path / "kit", made.output, [read.column])
    told, shown = contents(tmp_path / "kit"), made.output.read_text(encoding="utf-8")
    unseen = [letter for letter in letters.split("|") if letter not in shown]
    assert unseen and not any(letter in text for letter in unseen for text in told.values())


PAIRS = [(illness, city) for illness in ("flu", "none") for city in ("A", "B")]
JOINT = np.array([0.2, 0.1, 0.25, 0.45])


def together(origin: PriorOrigin = PriorOrigin.THIS_TABLE) -> NamedChannel:
    columns = ("illness", "city")
    return NamedChannel(Channel(PAIRS, PAIRS, keeping(JOINT, 0.3)), columns, columns, origin)


def test_columns_that_are_released_together_keep_their_cross_table(tmp_path: Path) -> None:
    rows = [pair for pair, count in zip(PAIRS, (JOINT * 1000).round().astype(int), strict=True) for _ in range(count)]
    table = pa.table({"illness": [one for one, _ in rows], "city": [one for _, one in rows]})
    how = together()
    plan = ReleasePlan({"illness": how, "city": how})
    made = release(plan, open_table(table), tmp_path / "release.csv", randomness=Simulated(2))
    bound = plan_of(made.record, made.record_file)
    read = [one.column for one in readings(bound, made.record.plan, made.output, kept=("illness",))]
    write_kit(tmp_path / "kit", made.output, read)
    found = lg.estimate(tmp_path / "kit")
    crosstab = found.crosstab("illness", "city")
    assert crosstab.method is Method.DIRECT and 0.2 / 0.45 in crosstab.of("flu", "A")
    assert agrees(script(tmp_path / "kit", "illness", "city")[1], crosstab)
    # Corrections are of one column at a time, whoever knows the channel.
    for origins in ({}, {"illness": PriorOrigin.PUBLIC}):
        unread = [one.column for one in readings(bound, made.record.plan, made.output, publish_shares=bool(origins))]
        kit = write_kit(tmp_path / "unread", made.output, unread, origins=origins)
        assert [one.unreadable for one in kit.protected] == [SEVERAL, SEVERAL]


@pytest.mark.parametrize("origin", [PriorOrigin.THIS_TABLE, PriorOrigin.NOISY_HISTOGRAM, PriorOrigin.ANOTHER_TABLE])
def test_a_channel_that_reads_what_is_not_published_is_not_handed_out(tmp_path: Path, origin: PriorOrigin) -> None:
    letters = list(dict.fromkeys(one for one, _ in PAIRS))
    rows = [[0.75 if one == own else 0.25 / (len(letters) - 1) for one in letters] for own, _ in PAIRS]
    how = NamedChannel(Channel(PAIRS, letters, rows), ("illness", "city"), ("illness",), origin)
    table = pa.table({"illness": [one for one, _ in PAIRS] * 40, "city": [one for _, one in PAIRS] * 40})
    made = release(ReleasePlan({"illness": how}), open_table(table), tmp_path / "release.csv")
    assert made.public_record is not None and made.public_record.plan.columns["illness"].channel is None
    bound = plan_of(made.record, made.record_file)
    for declared in (False, True):
        kit = tmp_path / f"kit-{declared}"
        read = readings(bound, made.record.plan, made.output, publish_shares=declared)
        write_kit(kit, made.output, [one.column for one in read], publish_shares=declared)
        assert not list(kit.glob("channel*"))


def test_intervals_within_protected_groups_hold_the_truth() -> None:
    rng, n, runs, hits = np.random.default_rng(4), 800, 400, 0
    matrix = keeping(JOINT, 0.3)
    for _ in range(runs):
        released = sum(
            rng.multinomial(count, row) for count, row in zip((JOINT * n).round().astype(int), matrix, strict=True)
        )
        cells = np.asarray(released, dtype=float).reshape(2, 2)
        found = counted_shares(cells, Z2, Method.DIRECT)
        hits += int(found.lows[0][0] <= 0.2 / 0.45 <= found.highs[0][0])
    assert hits / runs >= 0.93


def test_whether_shares_are_kept_is_seen_for_every_background() -> None:
    prior = Distribution(PAIRS, JOINT)
    assert keeps_shares(together(), prior)
    assert not keeps_shares(together(), Distribution(PAIRS, JOINT[::-1]))
    # From pairs to illnesses: illness is drawn anew within its city, or over both.
    given = {city: JOINT[at::2] / JOINT[at::2].sum() for at, city in enumerate("AB")}
    within = Channel(PAIRS, ("flu", "none"), [given[city] for _, city in PAIRS])
    over = Channel(PAIRS, ("flu", "none"), [JOINT.reshape(2, 2).sum(axis=1)] * 4)
    kept = [keeps_shares(NamedChannel(one, ("illness", "city"), ("illness",)), prior) for one in (within, over)]
    assert kept == [True, False]
    # Values that are never released are not kept, and a column under another name is another column.
    lossy = NamedChannel(Channel(("flu", "none"), ("none",), [[1.0], [1.0]]), ("illness",), ("illness",))
    assert not keeps_shares(lossy, Distribution(("flu", "none"), [0.3, 0.7]))
    renamed = NamedChannel(Channel.identity(("flu", "none")), ("illness",), ("sickness",))
    assert not keeps_shares(renamed, Distribution(("flu", "none"), [0.3, 0.7]))
