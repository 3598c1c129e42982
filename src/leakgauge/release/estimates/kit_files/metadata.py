"""Metadata of a kit for catalogues and tools: Croissant and a data package, from declared and public facts alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from leakgauge.artefacts.estimates import Kit
from leakgauge.languages import ENGLISH
from leakgauge.release.estimates.kit_files.dictionary import Entry
from leakgauge.release.estimates.kit_files.released import About
from leakgauge.tables import Kind
from leakgauge.visible import in_json, visible

_MEDIA: Final = {".csv": "text/csv", ".parquet": "application/x-parquet"}
_FIELD_TYPES: Final = {
    Kind.STRING: "string",
    Kind.INT: "integer",
    Kind.FLOAT: "number",
    Kind.BOOL: "boolean",
    Kind.DATE: "date",
    Kind.TIMESTAMP: "datetime",
    Kind.OTHER: "any",
}
_CROISSANT_TYPES: Final = {
    Kind.INT: "sc:Integer",
    Kind.FLOAT: "sc:Float",
    Kind.BOOL: "sc:Boolean",
    Kind.DATE: "sc:Date",
    Kind.TIMESTAMP: "sc:Date",
}
"""Values of every other kind are texts."""
_CONTEXT: Final = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context that Croissant 1.0 prescribes."""
_TITLE: Final = "Protected release of a table"
_DESCRIPTION: Final = (
    "Rows of a table in which the values of protected columns were changed at random: a row is not a fact about a "
    "person. README.md says how each column can be used."
)


@dataclass(frozen=True)
class KitFile:
    """A file of the kit, with its size and digest."""

    name: str
    bytes: int
    sha256: str

    @property
    def media_type(self) -> str:
        """By the ending of its name."""
        return _MEDIA.get(self.name[self.name.rfind(".") :].lower(), "application/octet-stream")


def croissant_text(kit: Kit, found: Sequence[Entry], about: About, files: Iterable[KitFile]) -> str:
    """The kit as a data set of Croissant 1.0; the first file is the release."""
    release, *others = files
    terms, contact, created = about.terms, about.contact, _created(about)
    fields = [
        {
            "@type": "cr:Field",
            "@id": _id(one),
            "name": visible(one.name),
            "description": _about(one),
            "dataType": _CROISSANT_TYPES.get(one.released.kind, "sc:Text"),
            "source": {"fileObject": {"@id": release.name}, "extract": {"column": one.name}},
        }
        for one in found
    ]
    data: dict[str, object] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": _name(about),
        "alternateName": _TITLE,
        "description": _described(kit, about),
        **({} if created is None else {"datePublished": created, "version": f"1.0.0+{_reference(about)}"}),
        **({} if terms is None else {"license": visible(terms)}),
        # Whom to ask is declared; who created the data is not.
        **({} if contact is None else {"maintainer": {"name": visible(contact)}}),
        "isLiveDataset": False,
        "distribution": [_file_object(one) for one in (release, *others)],
        "recordSet": [{"@type": "cr:RecordSet", "@id": "release", "name": "release", "field": fields}],
    }
    return _json(data)


def datapackage_text(kit: Kit, found: Sequence[Entry], about: About, files: Iterable[KitFile]) -> str:
    """The kit as a tabular data package of Frictionless; the first file is the release."""
    release, *others = files
    created = _created(about)
    said: Mapping[str, object] = {
        **({} if about.purpose is None else {"purpose": visible(about.purpose)}),
        **({} if about.terms is None else {"terms": visible(about.terms)}),
        **({} if about.contact is None else {"contact": visible(about.contact)}),
    }
    data = {
        "profile": "data-package",
        "name": _name(about),
        "title": _TITLE,
        "description": _described(kit, about),
        **({} if created is None else {"created": created, "version": _reference(about)}),
        **said,
        **(
            {} if about.contact is None else {"contributors": [{"title": visible(about.contact), "role": "maintainer"}]}
        ),
        "resources": [
            {**_resource(release, "release"), **_rows(kit, release, found)},
            *({**_resource(one, one.name.rpartition(".")[0].lower()), "profile": "data-resource"} for one in others),
        ],
    }
    return _json(data)


def _rows(kit: Kit, release: KitFile, found: Iterable[Entry]) -> dict[str, object]:
    schema = {"fields": [_field(one) for one in found], "missingValues": [""]}
    profile = "tabular-data-resource" if release.media_type == "text/csv" else "data-resource"
    return {"profile": profile, "rows": kit.rows, "schema": schema}


def _resource(file: KitFile, name: str) -> dict[str, object]:
    form = file.name.rpartition(".")[2].lower()
    return {
        "name": name,
        "path": file.name,
        "format": form,
        "mediatype": file.media_type,
        "encoding": "utf-8",
        "bytes": file.bytes,
        "hash": f"sha256:{file.sha256}",
    }


def _field(one: Entry) -> dict[str, object]:
    kind = _FIELD_TYPES[one.released.kind]
    # Of values that the release shows, never of those that a mechanism could have released.
    enum = {"constraints": {"enum": list(one.values)}} if kind == "string" and one.values else {}
    # Times in a CSV file have no sign between day and hour.
    form = {"format": "any"} if kind == "datetime" else {}
    return {"name": one.name, "type": kind, **form, "description": _about(one), **enum}


def _file_object(file: KitFile) -> dict[str, object]:
    return {
        "@type": "cr:FileObject",
        "@id": file.name,
        "name": file.name,
        "contentUrl": quote(file.name),
        "contentSize": f"{file.bytes} B",
        "encodingFormat": file.media_type,
        "sha256": file.sha256,
    }


def _described(kit: Kit, about: About) -> str:
    return " ".join(_sentences(kit, about))


def _sentences(kit: Kit, about: About) -> Iterator[str]:
    yield _DESCRIPTION
    yield f"It has {kit.rows} rows."
    for name, words in (("Purpose", about.purpose), ("Terms", about.terms), ("Questions", about.contact)):
        if words is not None:
            yield f"{name}: {visible(words)}."
    for note in kit.notes:
        yield ENGLISH.retell(note)


def _about(one: Entry) -> str:
    said = f"{one.released.kind.words}; {ENGLISH.retell(one.protection)}; {ENGLISH.retell(one.use)}."
    return said[0].upper() + said[1:]


def _id(one: Entry) -> str:
    return f"release/{quote(one.name, safe='')}"


def _name(about: About) -> str:
    return f"release-{_reference(about)}" if about.record is not None else "release"


def _reference(about: About) -> str:
    return "" if about.record is None else about.record.reference


def _created(about: About) -> str | None:
    return None if about.record is None else about.record.created


def _json(data: Mapping[str, object]) -> str:
    return in_json(json.dumps(data, ensure_ascii=False, indent=2)) + "\n"
