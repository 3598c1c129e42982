"""The JSON Schemas in the package brought in step with the types: ``python -m tests.artefacts.exported``."""

from __future__ import annotations

import json

from leakgauge.artefacts.codec import json_schema
from leakgauge.artefacts.schemas import FOLDER, SCHEMAS
from leakgauge.drafts import write_whole


def exported() -> dict[str, str]:
    """The text of each schema by the name of its file, such as ``measure-1.json``."""
    found = {}
    for schema, kind in SCHEMAS.items():
        name = schema.removeprefix("leakgauge/").replace("/", "-")
        found[f"{name}.json"] = json.dumps(json_schema(kind), ensure_ascii=False, indent=2) + "\n"
    return found


def main() -> None:
    """Write what is new or changed, and remove what no type has any more."""
    made = exported()
    for place in FOLDER.glob("*.json"):
        if place.name not in made:
            place.unlink()
    for name, text in made.items():
        write_whole(FOLDER / name, text, shareable=True)


if __name__ == "__main__":
    main()
