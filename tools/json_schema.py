#!/usr/bin/env python3
"""Makes of docs/json.schema.json, which describes all that the tool prints with --json,
the page for people and the types for the code of the report.

usage: json_schema.py page > docs/json.md
       json_schema.py types > page/src/schema.ts
"""

import json
import pathlib
import sys

SCHEMA = pathlib.Path(__file__).resolve().parents[1] / "docs" / "json.schema.json"

HEAD = """# JSON output

Made from [json.schema.json](json.schema.json), a JSON schema (2020-12), by `tools/json_schema.py`; a test holds what every command
prints against it. With `--json` these commands print one JSON object and nothing else:

"""

PROMISE = """
Complaints go to standard error. When the exit code is 2, standard output is empty, but for `map --json`, which says why there is no mapping.

## What stays the same

The first key of every object is `schema`, a name and a version. Within a version

- a field keeps its name, type, unit and meaning, and is never left out unless it is marked as optional;
- fields may be added, so ignore those you do not know;
- an enumerated text (a kind of level, a port) may get further values.

Anything else makes a new version. The order of keys is not part of the promise; the order of
lists is. The schema allows no other keys than those that are there today, so that a test finds what it does not describe.

## Comma-separated values

`map --csv` and `pareto --csv` write the most wanted of these figures as a table, with a heading, under the same names as in
JSON. `map` has a row per layer, a workload being the only one: `layer`, `count`, `macs`, `status`, `energy_pj`, `cycles`,
`edp_pj_cycles`, `utilisation`, `limited_by` (the bottleneck, as in the table of the text), `found_by`, `proven` (`true` or
`false`), `gap`, `seconds`; cells of a layer without a mapping are empty from `energy_pj` on. `pareto` has a row per point: `number`,
`cycles`, `energy_pj`, `edp_pj_cycles`, `utilisation`, `limited_by`.

## Numbers

- **integer**: a whole number, 0 or more unless the text says otherwise. Words, cycles and
  multiply-accumulates may reach 2^124, beyond the 2^53 up to which doubles are exact and the 2^63 of
  64-bit integers. They are written with all their digits; Python reads them as they are.
- **number**: a double, written with as many digits as it takes to read the same double again.
- Words are elements of a tensor, whatever their width in bits. Energies are in pJ, areas in um2,
  times in cycles. The names of the fields end in the unit where one is meant.
- **null** stands only where a table says so.

A **map by tensor** or **by dimension** has the names of the workload as its keys.
"""

NAMES = {"string": "text", "integer": "integer", "number": "number", "boolean": "boolean", "null": "null"}
PLURALS = {"string": "texts", "integer": "integers", "number": "numbers"}
TYPES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def name_in(reference):
    return reference.rpartition("/")[2]


def anchor_of(title):
    """As GitHub makes them."""
    kept = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " _-")
    return kept.replace(" ", "-")


def types_of(schema):
    """The names of its types, as a list."""
    kind = schema.get("type", [])
    return [kind] if isinstance(kind, str) else kind


# --- the page -----------------------------------------------------------------------


class Page:
    """The page, with each definition below the first document that leads to it."""

    def __init__(self, schema):
        self.defs = schema["$defs"]
        self.documents = [name_in(one["$ref"]) for one in schema["oneOf"]]
        self.written = set()
        self.text = HEAD

    def write(self):
        self.text += "| command | schema |\n|---|---|\n"
        for name in self.documents:
            title = self.defs[name]["title"]
            for command in self.defs[name]["x-commands"]:
                self.text += f"| `{command}` | [`{title}`](#{anchor_of(title)}) |\n"
        self.text += PROMISE
        for name in self.documents:
            self.section(name, "##")
        return self.text

    def section(self, name, level):
        if name in self.written:
            return
        self.written.add(name)
        schema = self.defs[name]
        self.text += f"\n{level} {schema['title']}\n\n"
        if "description" in schema:
            self.text += schema["description"] + "\n\n"
        bases = [name_in(one["$ref"]) for one in schema.get("allOf", [])]
        if level == "##" and bases:
            self.text += f"All keys of {self.link(bases[0])}, and\n\n"
        self.text += "| key | type | meaning |\n|---|---|---|\n"
        for key, value in schema["properties"].items():
            self.text += self.row(key, value, key in schema["required"])
        kinds = [name_in(one["$ref"]) for one in schema.get("oneOf", [])]
        if kinds:
            links = [self.link(kind) for kind in kinds]
            self.text += f"\nThe other keys are those of {', '.join(links[:-1])} or {links[-1]}.\n"
        below = bases + kinds + [one for value in schema["properties"].values() for one in self.leads_to(value)]
        for one in below:
            self.section(one, "###")

    def row(self, key, schema, required):
        optional = "" if required else "optional; "
        return f"| `{key}` | {self.type_name(schema)} | {optional}{schema['description']} |\n"

    def leads_to(self, schema):
        """The definitions that a value refers to."""
        if "$ref" in schema:
            return [name_in(schema["$ref"])]
        inner = [*schema.get("oneOf", []), schema.get("items"), schema.get("additionalProperties")]
        return [name for one in inner if isinstance(one, dict) for name in self.leads_to(one)]

    def link(self, name):
        title = self.defs[name]["title"]
        return f"[{title.lower()}](#{anchor_of(title)})"

    def type_name(self, schema):
        if "const" in schema:
            return "text"
        if "$ref" in schema:
            return self.link(name_in(schema["$ref"]))
        if "oneOf" in schema:
            return " or ".join(self.type_name(one) for one in schema["oneOf"])
        if "additionalProperties" in schema:
            return f"map by {schema['x-keys']} of {self.plural(schema['additionalProperties'])}"
        kinds = types_of(schema)
        if "array" in kinds:
            return f"list of {self.plural(schema['items'])}" + (", or null" if "null" in kinds else "")
        return " or ".join(NAMES[kind] for kind in kinds)

    def plural(self, schema):
        if "$ref" in schema:
            return self.type_name(schema)
        if "items" in schema:
            return f"lists of {self.plural(schema['items'])}"
        return " or ".join(PLURALS[kind] for kind in types_of(schema))


# --- the types ----------------------------------------------------------------------


def type_script(schema):
    """A type of TypeScript."""
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "$ref" in schema:
        return camel(name_in(schema["$ref"]))
    if "oneOf" in schema:
        return " | ".join(type_script(one) for one in schema["oneOf"])
    if "additionalProperties" in schema:
        return f"Record<string, {type_script(schema['additionalProperties'])}>"
    kinds = types_of(schema)
    if "array" in kinds:
        return f"Array<{type_script(schema['items'])}>" + (" | null" if "null" in kinds else "")
    return " | ".join(TYPES[kind] for kind in kinds)


def camel(name):
    return "".join(word.capitalize() for word in name.split("_"))


def definition(name, schema):
    """A definition of TypeScript, with what it takes over from others."""
    parts = [type_script(one) for one in schema.get("allOf", [])]
    if "oneOf" in schema:
        parts.append("(" + " | ".join(type_script(one) for one in schema["oneOf"]) + ")")
    lines = [
        f"  {key}{'' if key in schema['required'] else '?'}: {type_script(value)};\n"
        for key, value in schema["properties"].items()
    ]
    parts.append("{\n" + "".join(lines) + "}")
    return f"export type {camel(name)} = {' & '.join(parts)};\n"


def types(schema):
    head = "// Made from docs/json.schema.json by tools/json_schema.py.\n"
    documents = " | ".join(type_script(one) for one in schema["oneOf"])
    everything = [definition(name, one) for name, one in schema["$defs"].items()]
    return "\n".join([head, *everything, f"export type AnyDocument = {documents};\n"])


def page(schema):
    return Page(schema).write()


def main():
    made = {"page": page, "types": types}
    if len(sys.argv) != 2 or sys.argv[1] not in made:
        sys.exit(__doc__)
    print(made[sys.argv[1]](json.loads(SCHEMA.read_text(encoding="utf-8"))), end="")


if __name__ == "__main__":
    main()
