"""Plans: their one spelling, what a record keeps of them, and columns that count as public although a mechanism
changes some of their values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.artefacts import codec
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.errors import OptionError
from leakgauge.mechanisms import laplace, spelled
from leakgauge.probability import Channel, PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.release import ReleasePlan, read_plan, release, verify
from leakgauge.release.bound import bind
from leakgauge.release.recorded_plan import asked_again, recorded_plan
from leakgauge.tables import Levels, open_table, read_hierarchy
from leakgauge.tables.binnings import Learnt, Quantiles

RESPONSE = "randomized-response:epsilon={epsilon},letters=a|b|c"
PEOPLE = pa.table({"job": [*"abc"] * 20, "illness": [*"bca"] * 20})
CHANNEL = Channel(["a", "b"], ["a", "b"], [[0.75, 0.25], [0.125, 0.875]])
MECHANISMS = (
    "laplace:epsilon=1,lower=0,upper=120",
    "randomized-response:epsilon=0.5,letters=this-table",
    "randomized-response:epsilon=2,letters=a\\|b|\\,c|",
    "unary-encoding:epsilon=1,letters=plan.toml|channel.json",
)
BINS = ("width:10", "quantiles:5", "edges:0,18,65.5", "edges:2020-01-01,2021-06-30", "month", "auto", "auto:2:50")
TEXTS = st.sampled_from(["\x7f", "a.b", "a=b", "#", '"\\']) | st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5
)


@st.composite
def plans(draw: st.DrawFn, levels: Levels) -> ReleasePlan:
    """Plans of columns with any names, of which every field says something in some."""
    names = draw(st.lists(TEXTS, min_size=5, max_size=9, unique=True))
    first, second, unit, person, *others = names
    columns: dict[str, str | NamedChannel] = {first: draw(st.sampled_from(MECHANISMS))}
    if draw(st.booleans()):
        origin = draw(st.sampled_from([None, *PriorOrigin]))
        columns[second] = NamedChannel(CHANNEL, (second,), (second,), origin)
    columns |= {name: draw(st.sampled_from(MECHANISMS)) for name in others if draw(st.booleans())}
    public = [name for name in others if name not in columns]
    told = st.sampled_from([None, levels, *BINS])
    coarser = {name: how for name in (*columns, *public) if (how := draw(told)) is not None}
    some = st.lists(st.sampled_from(sorted(columns)), unique=True)
    whose = draw(st.sampled_from([None, unit]))
    return ReleasePlan(
        columns,
        public,
        {name: how for name, how in coarser.items() if isinstance(how, str)},
        levels={name: how for name, how in coarser.items() if isinstance(how, Levels)},
        suppress_below=draw(st.sampled_from([None, 2, 30])) if public else None,
        suppress_unit=draw(st.sampled_from([None, person])),
        unit=whose,
        rows_per_unit=1 if whose is None else draw(st.integers(1, 9)),
        clamp=draw(some),
        unprotected=[name for name in draw(some) if name != first],
        from_another_table=draw(st.lists(st.sampled_from(names), unique=True)),
        keep_order=draw(st.booleans()),
        order_by=draw(st.sampled_from([None, *names])),
    )


def test_a_plan_written_and_read_is_the_same(tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("plans")
    levels = place / "jobs.csv"
    levels.write_text("baker;crafts;*\nnurse;health;*\n", encoding="utf-8")

    @given(plans(read_hierarchy(levels).level(2)), st.sampled_from(["channel.json", "a.chan", "laplace:a.json"]))
    def law(plan: ReleasePlan, file: str) -> None:
        through = {name: how for name, how in plan.columns.items() if isinstance(how, NamedChannel)}
        files = dict.fromkeys(through, file)
        for name, how in through.items():
            codec.write(place / files[name], ChannelFile.of(how))
        text = plan.to_toml(files, dict.fromkeys(plan.bins, "jobs.csv"))
        (place / "plan.toml").write_text(text, encoding="utf-8")
        read = read_plan(place / "plan.toml")
        assert read == plan
        assert [*read.columns] == [*plan.columns]

    law()


def test_every_field_tells_plans_apart() -> None:
    columns = {"illness": RESPONSE.format(epsilon=1), "job": RESPONSE.format(epsilon=9)}
    fields: list[dict[str, Any]] = [
        *({"public": ["city"]}, {"bins": {"job": "month"}}, {"unit": "id"}, {"unit": "id", "rows_per_unit": 2}),
        *({"public": ["city"], "suppress_below": 5}, {"public": ["city"], "suppress_below": 5, "suppress_unit": "id"}),
        *(
            {"clamp": "job"},
            {"unprotected": "job"},
            {"from_another_table": "job"},
            {"keep_order": True},
            {"order_by": "day"},
            {},
        ),
    ]
    made = [ReleasePlan(columns, **one) for one in fields]
    assert [made.index(plan) for plan in made] == [*range(len(fields))]
    assert len({plan.to_toml() for plan in made}) == len(fields)


def test_a_plan_says_mechanisms_as_spelt_and_bins_as_asked_for() -> None:
    noise = laplace(1.0, lower=0, upper=9)
    plan = ReleasePlan({"age": noise}, ["pay"], {"pay": Learnt((10.0, 20.0), Quantiles(3))})
    assert plan.to_toml() == (
        f'public = ["pay"]\n\n[columns]\n"age" = "{spelled(noise)}"\n\n[bins]\n"pay" = "quantiles:3"\n'
    )


def test_a_plan_without_the_files_of_its_channels_is_not_written() -> None:
    with pytest.raises(OptionError, match=r"'x' has a channel or levels.*name that file"):
        ReleasePlan({"x": CHANNEL}).to_toml()


def test_a_record_keeps_all_of_its_plan(tmp_path: Path) -> None:
    people = PEOPLE.append_column("age", pa.array([*range(20)] * 3)).append_column("id", pa.array(range(60)))
    plan = ReleasePlan(
        {"age": "laplace:epsilon=1,lower=0,upper=20", "illness": RESPONSE.format(epsilon=1)},
        ["job"],
        suppress_below=2,
        unit="id",
        clamp="age",
        unprotected="illness",
        from_another_table="illness",
        keep_order=True,
        order_by="id",
    )
    with open_table(people) as table:
        bound = bind(plan, table)
        again = asked_again(recorded_plan(bound), tmp_path / "release.json")
        rebound = bind(again, table)
    assert {**vars(again), "columns": ()} == {**vars(plan), "columns": ()}
    assert rebound.mechanisms["age"] == bound.mechanisms["age"]
    assert rebound.steps == bound.steps


def test_unprotected_columns_cost_and_promise_nothing(tmp_path: Path) -> None:
    columns = {"illness": RESPONSE.format(epsilon=1), "job": RESPONSE.format(epsilon=9)}
    with open_table(PEOPLE) as table:
        both = bind(ReleasePlan(columns), table)
        alone = bind(ReleasePlan({"illness": columns["illness"]}), table)
        assert bind(ReleasePlan(columns, unprotected=["job"]), table).steps == alone.steps != both.steps
        made = release(ReleasePlan(columns, unprotected="job"), table, tmp_path / "out.csv")
    assert made.record.together["dp"].value == made.record.budget.epsilon.value == pytest.approx(1)
    assert made.record.claims["job"].levels["local-dp"].value == pytest.approx(9)
    assert any("Nothing is promised of their own values" in str(said) for said in made.record.assumptions)
    assert verify(made.record_file).holds


@pytest.mark.parametrize(
    ("unprotected", "says"), [(["illness"], "protects no column"), (["age"], "'age' unprotected, which it does not")]
)
def test_something_is_protected_and_what_is_not_goes_through_a_mechanism(unprotected: list[str], says: str) -> None:
    with pytest.raises(OptionError, match=says):
        ReleasePlan({"illness": RESPONSE.format(epsilon=1)}, unprotected=unprotected)
