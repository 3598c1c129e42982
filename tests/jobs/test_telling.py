"""Public columns that reveal a secret: what they tell, and the channels that make them tell less."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leakgauge.artefacts import Audit, Design, Record, Request, Utility
from leakgauge.artefacts.request.roles import public_columns
from leakgauge.artefacts.survey import Telling
from leakgauge.design import MaxLeakage, solve
from leakgauge.errors import OptionError, RefusalError
from leakgauge.jobs.audit import audit_release
from leakgauge.jobs.design import as_design
from leakgauge.jobs.protect import Done, _request_of, protect
from leakgauge.jobs.protect import telling as room
from leakgauge.jobs.protect.sources import Sources, open_sources
from leakgauge.jobs.protect.telling import least_telling, require_channels, telling
from leakgauge.measures import background_floor
from leakgauge.probability import Channel, Joint, Scenario
from leakgauge.probability.cells import Floats
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Simulated
from leakgauge.release import ReleasePlan, verify
from leakgauge.release.bound import bind
from leakgauge.release.plan import read_plan
from leakgauge.tables import open_table
from tests.cli.running import run
from tests.release.people import places

ROWS = 1500
MECHANISM = ("randomized-response:epsilon=1",)
JOBS = ("clerk", "driver", "nurse", "smith", "teacher", "cook")


def write_people(place: Path, seed: int) -> Path:
    """People whose job and age tell on their illness and debt; everybody is of one planet."""
    draw = random.Random(seed)
    lines = ["person,job,age,sex,planet,illness,debt,share=0.5"]
    for at in range(ROWS):
        job, age = draw.randrange(6), draw.randrange(20, 80)
        illness = draw.choices(("flu", "cold", "none"), (1 + job, 2 + (age > 60) * 4, 7 - job))[0]
        debt = draw.choices(("yes", "no"), (1 + (job > 2) * 2, 3))[0]
        lines.append(f"p{at // 2},{JOBS[job]},{age},{draw.choice('mf')},earth,{illness},{debt},{at % 3}")
    place.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_people(tmp_path_factory.mktemp("telling") / "people.csv", 11)


@contextmanager
def sources_of(asked: Request) -> Iterator[Sources]:
    with ExitStack() as opened:
        table = opened.enter_context(open_table(asked.table))
        yield open_sources(asked, table, opened)


def question(people: Path, public: Any = ("job=0.1",), secret: tuple[str, ...] = ("illness",), **asked: Any) -> Request:
    names, shares = public_columns(public)
    fields = {"max_distortion": 0.2, **asked}
    return Request.of(str(people), secret=secret, public=names, public_distortion=shares, **fields)


def least(sources: Sources) -> tuple[NamedChannel, Design]:
    """The channel of the job that reveals least, and its numbers."""
    asked, best = least_telling(sources, "job")
    return asked.named(best), as_design(best)


def information(joint: Floats) -> float:
    """I of the two axes, in bits."""
    alone = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.nansum(joint * np.log2(joint / alone)))


@pytest.mark.parametrize("keep", ["nothing", "shares"])
@pytest.mark.parametrize("background", [(), ("sex",)])
def test_a_channel_changes_no_more_than_allowed_and_tells_less(
    people: Path, keep: str, background: tuple[str, ...]
) -> None:
    asked = question(people, keep=keep, background=background)
    with sources_of(asked) as sources:
        named, design = least(sources)
        counts = sources.table.counts("illness", "job", *background)
        joint, shares = counts.joint(("illness",), ("job",)), counts.distribution("job").probabilities
    channel, as_it_is = named.channel, information(np.asarray(joint.matrix))
    told = information(np.asarray(joint.second_through(channel).matrix))
    assert (named.inputs, named.outputs) == (("job",), ("job",))
    assert 1 - float(shares @ np.diag(channel.matrix)) == pytest.approx(0.1, abs=1e-6)
    assert design.leakage.value == pytest.approx(told, abs=1e-9)
    assert design.told_unprotected is not None
    assert design.told_unprotected.value == pytest.approx(as_it_is, abs=1e-9)
    assert told < 0.8 * as_it_is
    if keep == "shares":
        assert shares @ channel.matrix == pytest.approx(shares, abs=1e-12)
    assert (design.background_floor is not None) == bool(background)


def test_of_several_secrets_all_at_once_are_hidden_and_else_the_one_that_is_told_most(people: Path) -> None:
    asked = question(people, secret=("illness",), withhold=("debt",))
    with sources_of(asked) as sources:
        counts = sources.table.counts("illness", "debt", "job")
        _, together = least(sources)
    both = information(np.asarray(counts.joint(("illness", "debt"), ("job",)).matrix))
    assert together.told_unprotected is not None
    assert together.told_unprotected.value == pytest.approx(both, abs=1e-9)
    # There are too many persons to count what a job tells of them: the illness alone is hidden.
    asked = question(people, secret=("illness", "person"), mechanism=MECHANISM)
    with sources_of(asked) as sources:
        _, alone = least(sources)
    of_illness = information(np.asarray(counts.joint(("illness",), ("job",)).matrix))
    assert alone.told_unprotected is not None
    assert alone.told_unprotected.value == pytest.approx(of_illness, abs=1e-9)


def test_every_public_column_is_shown_with_the_least_it_would_tell(people: Path) -> None:
    asked = question(people, ("job=0.2", "sex", "age", "planet", "share=0.5="), withhold=("debt",))
    with sources_of(asked) as sources:
        channel = least(sources)[0].channel
        found = telling(replace(sources, through={"job": channel}))
        joint = sources.table.counts("illness", "job").joint()
    assert found is not None
    assert found.keep == "shares"
    of = {(one.column, *one.secret): one for one in found.columns}
    assert len(of) == len(found.columns) == 10
    told = [-1.0 if one.tells is None else one.tells.value for one in found.columns]
    assert told == sorted(told, reverse=True)
    with sources_of(question(people, ("job",))) as sources:
        (plain,) = (telling(sources) or found).columns
    job = of["job", "illness"]
    assert (job.distortion, job.through, plain.distortion, plain.through) == (0.2, True, 0.1, False)
    # What is released so is told of its own channel, not of one that would be made for this secret alone.
    after = Joint(joint.rows, channel.outputs, joint.matrix @ channel.restrict(joint.columns).matrix)
    assert job.least is not None
    assert job.least.value == pytest.approx(background_floor(Scenario(after)), abs=1e-12)
    for one in (job, plain, of["job", "debt"]):
        assert one.tells is not None
        assert one.least is not None
        # What passes through a channel tells no more, and the proof is below what was found.
        assert one.least.ends[0] <= one.least.value <= one.tells.value + 1e-9
        assert one.tells.ends[0] <= one.tells.value <= one.tells.ends[1]
    assert "has 60 values; merge them" in str(of["age", "illness"].left_out)
    assert str(of["sex", "illness"].left_out) == "no more than chance"
    assert str(of["planet", "illness"].left_out) == "all values are alike"
    with sources_of(question(people, ())) as sources:
        assert telling(sources) is None


def test_the_table_takes_no_longer_than_it_is_worth(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "WORK", 6 * 6 * 3)
    asked = question(people, ("job",), withhold=("debt",))
    with sources_of(asked) as sources:
        found = telling(sources)
    assert found is not None
    first, second = found.columns
    assert (first.secret, first.left_out, second.secret, second.least) == (("illness",), None, ("debt",), None)
    assert str(second.left_out) == "not computed, to save time"


@pytest.fixture(scope="module")
def done(people: Path, tmp_path_factory: pytest.TempPathFactory) -> Done:
    asked = question(
        people,
        ("job=0.1", "age=0.3", "sex"),
        bins=("age=edges:0,40,60",),
        withhold=("debt",),
        simulate=3,
        unit="person",
    )
    return protect(asked, tmp_path_factory.mktemp("telling") / "out")


def released(done: Done, people: Path, column: str) -> list[tuple[Any, Any]]:
    with open_table(str(people)) as before, open_table(str(done.folder / "release.csv")) as after:
        rows = (
            [value for batch in one.batches(column) for value in batch.column(0).to_pylist()] for one in (before, after)
        )
        true, shown = rows
        return [(value, shown[at]) for value, at in zip(true, places(done.folder / "release.json"), strict=True)]


def test_the_release_has_what_the_channel_made_of_the_column(done: Done, people: Path) -> None:
    pairs = released(done, people, "job")
    changed = sum(before != after for before, after in pairs)
    # Five standard deviations of a binomial of 1,500 rows.
    assert abs(changed - 0.1 * ROWS) < 5 * (ROWS * 0.1 * 0.9) ** 0.5
    before, after = Counter(one for one, _ in pairs), Counter(one for _, one in pairs)
    assert all(abs(before[job] - after[job]) < 5 * (2 * 0.1 * before[job]) ** 0.5 for job in JOBS)
    ages = released(done, people, "age")
    in_bins = ["[0, 40)" if age < 40 else "[40, 60)" if age < 60 else "[60, ∞)" for age, _ in ages]
    assert {after for _, after in ages} == set(in_bins)
    changed = sum(before != after for before, (_, after) in zip(in_bins, ages, strict=True))
    assert abs(changed - 0.3 * ROWS) < 5 * (ROWS * 0.3 * 0.7) ** 0.5
    assert all(before == after for before, after in released(done, people, "sex"))


def test_record_claims_and_report_hold_the_column(done: Done, people: Path) -> None:
    record = done.read(Record, "release.json")
    assert verify(done.folder / "release.json").holds
    assert (record.plan.public, sorted(record.plan.columns)) == (("sex",), ["age", "illness", "job"])
    assert record.plan.columns["job"].channel_prior is not None
    assert record.plan.columns["job"].channel_prior.keep_inside
    assert "job" in record.claims
    assert "local-dp" in record.claims["job"].levels
    # Public columns are not protected, whatever they go through: ε is of the secrets alone.
    assert {name for name, one in record.plan.columns.items() if one.unprotected} == {"age", "job"}
    assert done.job.headline is not None and done.job.headline.epsilon is not None
    own = record.claims["illness"].levels["local-dp"].value
    counted = (done.job.headline.epsilon.value, record.together["dp"].value, record.budget.epsilon.value)
    assert counted == pytest.approx([own] * 3, rel=1e-12)
    assert any("count as public, and in no budget" in str(said) for said in record.assumptions)
    again = read_plan(done.folder / "plan.toml")
    assert again.unprotected == {"age", "job"} and len(bind(again, open_table(people)).steps) == 1
    worth = done.read(Utility, "utility-illness.json").columns
    assert worth["job"].protected
    assert worth["job"].unchanged.value == pytest.approx(0.9, abs=1e-5)
    assert worth["sex"].unchanged.value == 1
    external = (done.folder / "report-external.html").read_text(encoding="utf-8")
    internal = (done.folder / "report.html").read_text(encoding="utf-8")
    for text in (external, internal):
        assert "Released through a channel that reveals less about the secrets" in text
    assert "Would reveal with some values changed" in internal
    assert "Would reveal with some values changed" not in external


def test_attacks_see_the_released_column_and_do_not_guess_it(done: Done) -> None:
    found = done.read(Audit, "audit.json")
    assert {one.secret for one in found.exposures} == {("illness",), ("debt",)}
    of_illness = next(one for one in found.exposures if one.secret == ("illness",))
    told = {one.columns: one for one in of_illness.columns}
    as_it_is = next(
        one for one in done.read(Telling, "telling.json").columns if (one.column, one.secret) == ("job", ("illness",))
    )
    assert told["job",].roles == ("protected",)
    assert as_it_is.tells is not None
    assert told["job",].information.ends[0] < as_it_is.tells.value
    # Of all secrets at once what was drawn for the columns counts too: one sample of their noise.
    assert found.total is not None
    assert not found.total.exact
    assert found.total.information.value >= of_illness.everything.information.ends[0]
    # All that is released tells at least what a part of it does.
    assert of_illness.everything.information.value >= told["job",].information.ends[0]


def test_values_that_always_stay_speak_against_a_secret_alone(people: Path, tmp_path: Path) -> None:
    rare = 2.0**-40
    stays = Channel(JOBS, JOBS, np.full((6, 6), rare) + np.diag(np.full(6, 1 - 6 * rare)))
    plan = ReleasePlan({"illness": "randomized-response:epsilon=1,letters=flu|cold|none", "job": stays})
    with open_table(str(people)) as table:
        made = plan.apply(table, tmp_path / "release.csv", randomness=Simulated(1))
        secret, public = (audit_release(made, table, secret=names) for names in (("illness", "job"), ("illness",)))
    shown = secret.columns["job"]
    assert shown is not None
    assert shown.deterministic
    assert public.columns["job"] is None
    assert public.columns["illness"] is not None
    assert not any("job" in str(one) for one in public.violations)


def test_the_same_again_keeps_everything(done: Done, people: Path) -> None:
    steps: list[str] = []
    again = protect(done.job.request, done.folder, progress=lambda event: steps.append(event.state))
    assert set(steps) == {"kept"}
    assert again.job.request.roles.public_distortion == {"job": 0.1, "age": 0.3}


def test_a_repeated_job_takes_the_channels_over(done: Done, people: Path, tmp_path: Path) -> None:
    table = write_people(tmp_path / "later.csv", 12)
    again = protect(table, tmp_path / "again", repeat=done.folder)
    before, after = (one.read(Record, "release.json").plan.columns["job"] for one in (done, again))
    assert before.channel is not None
    assert after.channel is not None
    assert before.channel.matrix == after.channel.matrix
    assert after.channel_prior is not None
    assert after.channel_prior.value == "another table"
    with pytest.raises(OptionError, match="--public differs from"):
        protect(table, tmp_path / "other", repeat=done.folder, public=["job=0.2", "age=0.3", "sex"])


def test_a_secret_is_designed_for_who_sees_the_column_through_its_channel(people: Path) -> None:
    """A limit below what the column tells as it is can be kept where the column goes through a channel."""
    asked = question(people, ("job=0.4", "sex"), max_distortion=None, max_leakage=0.05)
    with sources_of(asked) as sources:
        named, design = least(sources)
        seen = replace(sources, through={"job": named.channel})
        (aim,), target = asked.aims, MaxLeakage(0.05)
        as_it_is, through = (one.question(aim).problem(one.table, target) for one in (sources, seen))
        counts = sources.table.counts("illness", "job", "sex")
    assert isinstance(through.source, Joint)
    assert isinstance(as_it_is.source, Joint)
    # Summed over the other column the joint is that of the column through its channel alone.
    both = counts.joint(("illness",), ("job",)).second_through(named.channel)
    for made in named.channel.outputs:
        places = [at for at, label in enumerate(through.source.columns) if made in label]  # type: ignore[operator]
        alone = both.matrix[:, both.columns.index(made)]
        assert through.source.matrix[:, places].sum(axis=1) == pytest.approx(alone, abs=1e-12)
    with pytest.raises(RefusalError):
        solve(as_it_is, 1e-6)
    assert solve(through, 1e-6).objective <= 0.05
    assert design.background_floor is not None


@pytest.mark.parametrize(
    ("public", "asked", "said"),
    [
        (["job=0"], {}, "--public job=0 is not a share"),
        (["job=1.5"], {}, "--public job=1.5 is not a share"),
        (["job=-0.1"], {}, "not a share of values to change"),
        (["job=0.1"], {"background": ("job",)}, "known to the attacker, so changing it"),
        (["job=0.1"], {"min_k": 3}, "--min-k counts rows that agree"),
        (["job=0.1"], {"suppress_below": 3}, "--suppress-below counts rows that agree"),
        (["job=0.1"], {"accounted": 1.0, "ledger": "ledger.sqlite"}, "--accounted designs from a noisy histogram"),
        (["illness=0.1"], {}, "both as secret and as public"),
        (["job=0.1", "job"], {}, "named twice as public"),
    ],
)
def test_what_makes_no_sense_is_refused(people: Path, public: list[str], asked: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        question(people, public, **asked)


@pytest.mark.parametrize(
    ("public", "said"),
    [
        ("planet=0.1", "'planet' has a single value"),
        ("person=0.1", "'person' has 750 values, more than the 100"),
    ],
)
def test_columns_without_a_channel_are_refused_before_anything_is_done(people: Path, public: str, said: str) -> None:
    asked = question(people, (public,))
    with sources_of(asked) as sources, pytest.raises(OptionError, match=said):
        require_channels(sources)


def test_too_few_rows_for_what_a_column_tells_are_refused(people: Path) -> None:
    asked = question(people, ("age=0.1",), secret=("person",), mechanism=MECHANISM)
    with sources_of(asked) as sources, pytest.raises(OptionError, match="too many values for so few rows"):
        require_channels(sources)


def test_names_may_hold_a_sign_of_equality() -> None:
    assert public_columns(["a=b", "a=b=0.1", "dose=0.5=", "c=nan"]) == (
        ("a=b", "a=b", "dose=0.5", "c=nan"),
        {"a=b": 0.1},
    )
    assert public_columns({"dose=0.5": None, "sex": 0.2}) == (("dose=0.5", "sex"), {"sex": 0.2})
    assert public_columns("sex") == (("sex",), None)


def test_the_command_asks_for_the_same(people: Path) -> None:
    asked = question(people, ("job=0.1", "share=0.5=", "sex", "a=="))
    words = asked.arguments()
    typed = [words[at + 1] for at, word in enumerate(words) if word == "--public"]
    assert typed == ["job=0.1", "share=0.5=", "sex", "a=="]
    assert public_columns(typed) == (asked.roles.public, asked.roles.public_distortion)
    assert "public=('job=0.1', 'share=0.5=', 'sex', 'a==')" in asked.script("out")


def test_an_unknown_column_is_named_with_those_that_are_near(
    people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("protect", people, "--secret", "illness", "--public", "jobb=0.1", "--max-distortion", "0.2")
    code, _, err = run(capsys, *words, "-o", tmp_path / "out")
    assert code == 2
    assert "There is no column 'jobb'; did you mean 'job'?" in err
    assert not (tmp_path / "out").exists()


def test_python_takes_texts_a_mapping_and_nothing_else(people: Path) -> None:
    for public in (["job=0.1", "sex"], {"job": 0.1, "sex": None}):
        asked = _request_of(people, secret="illness", public=public, max_distortion=0.2)
        assert (asked.roles.public, asked.roles.public_distortion) == (("job", "sex"), {"job": 0.1})
        again = _request_of(asked, public="job")
        assert (again.roles.public, again.roles.public_distortion) == (("job",), None)
    for wrong in ({"job": "much"}, [1], 5, None):
        with pytest.raises(OptionError, match="is missing or of another type"):
            _request_of(people, secret="illness", public=wrong, max_distortion=0.2)
