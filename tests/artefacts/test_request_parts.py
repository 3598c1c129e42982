"""A request in parts: an option is said once, in its part, and every face takes it from there."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Annotated, Any

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import leakgauge
from leakgauge.artefacts import Request, codec
from leakgauge.artefacts.quantity import Origin
from leakgauge.artefacts.request import PARTS, Limits, StoredRequest, option_names
from leakgauge.artefacts.request.part import ON_PAGE, Option, fields_marked
from leakgauge.artefacts.request.terms import LONGEST
from leakgauge.cli import options
from leakgauge.cli.protect import command
from leakgauge.errors import OptionError

SOURCE = Path(leakgauge.__file__).parent
ASKED: dict[str, dict[str, Any]] = {
    "one number for all": {"secret": ["a", "b"], "max_distortion": 0.2},
    "a number for each": {"secret": ["a", "b"], "max_distortion": {"a": 0.2, "b": 0.1}, "local_dp": {"b": 1.0}},
    "targets of their own": {"secret": ["a", "b"], "max_distortion": {"a": 0.2}, "max_leakage": {"b": 0.5}},
    "an error to bear": {"secret": ["a", "b"], "within": {"a": 5.0}, "max_distortion": {"b": 0.2}},
    "a mechanism of one": {"secret": ["a", "b"], "mechanism": ["a=randomized-response:epsilon=1"], "local_dp": 2.0},
    "taken together": {"secret": ["a", "b"], "together": True, "max_leakage": 1.0, "distortion": "hamming"},
    "a name like a number": {"secret": "x=1", "public": {"dose=0.1": None, "age": 0.2}, "max_distortion": {"x=1": 0.3}},
    "everything else": {
        "secret": "a",
        "withhold": "c",
        "background": "z",
        "public": ["z", "w"],
        "unit": "person",
        "rows_per_unit": 6,
        "accept_unique": "w",
        "min_protection": 60,
        "use": "rows",
        "keep_order": True,
        "order_by": "hour",
        "bins": ["age=width:10"],
        "levels": ["w=w.csv:1"],
        "suppress_below": None,
        "missing": "?",
        "decimal": ",",
        "ledger": Path("l.ledger"),
        "dataset": "d",
        "lower": 0.0,
        "upper": 9.5,
        "confidence": 0.9,
        "purpose": "teaching",
        "report_language": "zh",
    },
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=list(ASKED))
def test_a_request_is_the_same_however_it_is_spelt(asked: dict[str, Any]) -> None:
    request = Request.of("people.csv", **asked)
    assert Request.of("people.csv", **request.options()) == request
    stored = codec.decode(StoredRequest, codec.encode(StoredRequest.of(request)), "job.json")
    assert stored.request() == request
    typed = command.make_context("protect", [*request.arguments(), "-o", "out"])
    given = {name: typed.params[name] for name in option_names() if name in typed.params}
    source = typed.get_parameter_source
    spelt = {name: value for name, value in given.items() if source(name) is click.core.ParameterSource.COMMANDLINE}
    assert Request.of("people.csv", **spelt) == request


@given(
    st.dictionaries(st.sampled_from("abc"), st.floats(0.01, 5), min_size=1),
    st.sampled_from(("max_distortion", "max_leakage", "local_dp", "within")),
)
def test_numbers_for_some_secrets_are_those_of_their_aims(numbers: dict[str, float], name: str) -> None:
    others = [f"{one}=randomized-response:epsilon=1" for one in "abc" if one not in numbers]
    asked: dict[str, Any] = {"secret": list("abc"), "mechanism": others, name: numbers}
    request = Request.of("t.csv", **asked)
    assert {one.columns[0]: getattr(one, name) for one in request.aims if not one.mechanism} == numbers
    assert Request.of("t.csv", **request.options()) == request


class WithToy(Limits, frozen=True):
    """A part with one option more."""

    toy: Annotated[int | None, Origin.DECLARED, ON_PAGE, Option("A toy.", "N", least=1)] = None

    def require_possible(self) -> None:
        """Refuse a toy that nobody plays with."""
        super().require_possible()
        if self.toy == 13:
            raise OptionError("--toy {found} brings bad luck; give another.", found=self.toy)


def test_a_new_option_is_said_in_its_part_alone() -> None:
    part = WithToy(toy=3)
    assert part.given() == {"toy": 3} and "toy" in fields_marked(WithToy, ON_PAGE)
    with pytest.raises(OptionError, match="brings bad luck"):
        WithToy(toy=13)

    @click.command()
    @options.options_of(WithToy)
    def verb(**given: Any) -> None:
        click.echo(WithToy(**{name: value for name, value in given.items() if value is not None}).toy)

    assert CliRunner().invoke(verb, ["--toy", "7"]).output == "7\n"
    assert "--toy N" in CliRunner().invoke(verb, ["--help"]).output


@pytest.mark.parametrize(("name", "room"), LONGEST.items())
def test_words_for_recipients_fit_their_page(name: str, room: int) -> None:
    asked: dict[str, Any] = {"secret": ["illness"], "max_distortion": 0.2, name: "x" * room}
    assert getattr(Request.of("people.csv", **asked).declared, name) == "x" * room
    asked[name] += "x"
    with pytest.raises(OptionError, match=f"--{name} has {room + 1:,} letters, .* has room for {room:,}; shorten it"):
        Request.of("people.csv", **asked)


def test_every_option_is_asked_for_on_the_command_line() -> None:
    taken = {one.name for one in command.params}
    assert {*option_names()} - taken == {"public_distortion"}


def test_no_list_repeats_the_names_of_options() -> None:
    """Where several are named side by side, they are one part, or are found by a mark."""
    names, repeated = {*option_names()}, list[str]()
    for file in sorted(SOURCE.rglob("*.py")):
        if file.is_relative_to(SOURCE / "artefacts" / "request"):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Tuple | ast.List | ast.Set):
                texts = [one.value for one in node.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
                if len(texts) > 2 and len(texts) == len(node.elts) and {*texts} <= names:
                    repeated.append(f"{file.relative_to(SOURCE)}:{node.lineno} {texts}")
    assert repeated == []


def test_parts_have_no_name_in_common() -> None:
    every = [name for part in PARTS.values() for name in part.__struct_fields__]
    assert len(every) == len({*every})
