"""Arguments of the wrong type are refused in one sentence before anything is computed; one text stands for several."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cache, wraps
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, ClassVar, ParamSpec, TypeVar, Union, Unpack, cast, get_args, get_origin, get_type_hints

from leakgauge.errors import OptionError, did_you_mean

P = ParamSpec("P")
R = TypeVar("R")
_NUMBERS: dict[object, type] = {float: Real, int: Integral}
"""Numbers of every library count as Python's; True and False are not numbers."""


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which now refuses arguments whose types are not those of its annotations.

    Items of lists, tuples and mappings are checked too, but not labels: anything hashable is a label. A text where
    several are taken, such as a column where columns are, is one of them: it would be read letter by letter. The
    options of a ``TypedDict`` are arguments like the others, and a keyword that is none of them is refused here, where
    it was given, and not by whatever the options are handed on to.

    Raises:
        OptionError: names the argument, the type found and the type wanted; or a keyword that there is not.

    Example:
        >>> @checked
        ... def half(number: float) -> float:
        ...     return number / 2
        >>> half("two")
        Traceback (most recent call last):
        leakgauge.errors.OptionError: The argument 'number' of half() is of type 'str'; it must be of type 'float'.
        >>> @checked
        ... def listed(columns: Sequence[str]) -> str:
        ...     return " and ".join(columns)
        >>> listed("city")
        'city'
    """
    return _checking(function, _with_options)


def checked_but_options(function: Callable[P, R]) -> Callable[P, R]:
    """The same, but for the types of the options of a ``TypedDict``, which whatever they are handed on to checks."""
    return _checking(function, _hints)


def _checking(
    function: Callable[P, R], hints_of: Callable[[Callable[..., object]], Mapping[str, Any]]
) -> Callable[P, R]:
    parameters = inspect.signature(function).parameters.values()
    places = [one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    rest = [one.name for one in parameters if one.kind is one.VAR_POSITIONAL]

    fitting: set[tuple[object, ...]] = set()

    @wraps(function)
    def refusing(*args: P.args, **kwargs: P.kwargs) -> R:
        # Measures are called a thousand times each, with the same types: these are looked at once.
        kinds = (*map(type, args), *kwargs, *map(type, kwargs.values()))
        if kinds in fitting:
            return function(*args, **kwargs)
        known = _keywords(function)
        for name in kwargs if known else ():
            if name not in known:
                raise OptionError("There is no option {name!r}; {hint}", name=name, hint=did_you_mean(name, known))
        names, hints = places + rest * (len(args) - len(places)), hints_of(function)
        given = [
            (value, name, hints.get(name, object)) for name, value in (*zip(names, args, strict=False), *kwargs.items())
        ]
        if len(names) < len(args) or all(_surely_of(type(value), hint) for value, _, hint in given):
            # Where there are more arguments than names, Python itself says so.
            fitting.add(kinds)
            return function(*args, **kwargs)
        taken = [_taken(value, name, hint, function) for value, name, hint in given]
        every = cast("Callable[..., R]", function)
        return every(*taken[: len(args)], **dict(zip(kwargs, taken[len(args) :], strict=True)))

    return refusing


def check_fields(record: object) -> None:
    """Refuse, as ``checked`` does, a dataclass whose fields are of other types than it says; for ``__post_init__``."""
    made_by: Callable[..., object] = type(record)
    for name, hint in _hints(made_by).items():
        value = getattr(record, name)
        if not _surely_of(type(value), hint) and not _is_of(value, hint):
            raise _refusal(name, type(record).__qualname__, value, hint)


@cache
def _hints(of: Callable[..., object]) -> dict[str, Any]:
    # At the first call: annotations may name a class that is still being made.
    return {name: hint for name, hint in get_type_hints(of).items() if get_origin(hint) is not ClassVar}


@cache
def _options(function: Callable[..., object]) -> dict[str, Any]:
    """The types of the options of a ``TypedDict``, where a function takes some."""
    parameters = inspect.signature(function).parameters.values()
    rest = next((_hints(function).get(one.name) for one in parameters if one.kind is one.VAR_KEYWORD), None)
    return get_type_hints(get_args(rest)[0]) if get_origin(rest) is Unpack else {}


@cache
def _with_options(function: Callable[..., object]) -> dict[str, Any]:
    return {**_hints(function), **_options(function)}


@cache
def _keywords(function: Callable[..., object]) -> tuple[str, ...]:
    """All keywords that a function with the options of a ``TypedDict`` takes; none of any other function."""
    if not _options(function):
        return ()
    parameters = inspect.signature(function).parameters.values()
    own = (one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY))
    return (*own, *_options(function))


@cache
def _takes_texts(hint: Any) -> bool:
    """Whether a type is several texts, such as names of columns, or may be."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(map(_takes_texts, inside))
    # Not a pair, which has as many items as it says; and one text may itself be one of several sets of names.
    return origin in (Sequence, Iterable, Collection, tuple) and inside[1:] in ((), (Ellipsis,)) and _is_text(inside[0])


def _is_text(hint: Any) -> bool:
    return hint is str or (get_origin(hint) in (Union, UnionType) and str in get_args(hint))


def _taken(value: object, name: str, hint: Any, function: Callable[..., object]) -> object:
    """An argument as the function takes it."""
    if isinstance(value, str) and _takes_texts(hint):
        return (value,)
    if not _surely_of(type(value), hint) and not _is_of(value, hint):
        raise _refusal(name, function.__qualname__, value, hint)
    return value


def _refusal(argument: str, function: str, value: object, hint: Any) -> OptionError:
    return OptionError(
        "The argument {argument!r} of {function!s}() is of type {found!r}; it must be of type {wanted!r}.",
        argument=argument,
        function=function.removesuffix(".__init__"),
        found=_spelled_kind(value),
        wanted=_spelled(hint),
    )


def _spelled_kind(value: object) -> str:
    """The type of a value, with those of its items where it is a list, tuple or mapping."""
    name = type(value).__name__
    if isinstance(value, Mapping):
        kinds = [_kinds(value), _kinds(value.values())]
    elif isinstance(value, list | tuple):
        kinds = [_kinds(value)]
    else:
        return name
    return f"{name}[{', '.join(kinds)}]" if value else name


def _kinds(values: Iterable[object]) -> str:
    return " | ".join(dict.fromkeys(type(one).__name__ for one in values))


def _fits(kind: type, hint: Any) -> bool:
    """Whether values of a type are of the wanted one, whatever they hold."""
    if issubclass(kind, str) and _takes_texts(hint):
        return False
    inside = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return any(_fits(kind, one) for one in inside)
    if kind is hint:
        return True
    plain = not inside and isinstance(hint, type) and not getattr(hint, "_is_protocol", False)
    return plain and hint not in _NUMBERS and issubclass(kind, hint)


_surely_of: Callable[[type, Any], bool] = cache(_fits)


def _is_of(value: object, hint: Any) -> bool:
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_is_of(value, one) for one in inside)
    if origin is type:
        return isinstance(value, type) and issubclass(value, inside[0])
    if origin is Sequence and inside[0] in _NUMBERS and hasattr(value, "__array__"):
        return True  # an array is not a Sequence, and serves as one of numbers
    wanted = _NUMBERS.get(hint, origin or hint)
    if not isinstance(wanted, type) or hint in (Hashable, object, Any) or getattr(wanted, "_is_protocol", False):
        return True  # labels and what looks like an array are judged where they are used
    if hint is bool:
        return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")
    if not isinstance(value, wanted) or (hint in _NUMBERS and isinstance(value, bool)):
        return False
    if isinstance(value, Mapping):
        return all(_is_of(item, inside[1]) for item in value.values()) if len(inside) == 2 else True
    if isinstance(value, tuple) and origin is tuple and Ellipsis not in inside:
        return len(value) == len(inside) and all(map(_is_of, value, inside))
    # Iterators are not looked into: they can be read once only.
    looked_into = inside and inside[0] is not Hashable and isinstance(value, list | tuple | str)
    return not looked_into or all(_is_of(item, inside[0]) for item in cast("Sequence[object]", value))


def _spelled(hint: Any) -> str:
    """A type as Python writes it."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " | ".join(dict.fromkeys(_spelled(one) for one in inside))
    named = origin or hint
    name = "None" if named is NoneType else getattr(named, "__name__", str(named))
    shown = ["..." if one is Ellipsis else _spelled(one) for one in inside if _is_shown(one)]
    return f"{name}[{', '.join(shown)}]" if shown and name != "ndarray" and name != "Callable" else name


def _is_shown(hint: Any) -> bool:
    return hint is Ellipsis or isinstance(hint, type) or get_origin(hint) is not None
