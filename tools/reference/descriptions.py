"""descriptions.md: what a description of a cluster to be made up may hold, from the docstrings of its structs."""

import inspect
import re
from collections.abc import Iterator

import msgspec

from kplace.synthesis import description as module
from kplace.synthesis import preset_text
from kplace.synthesis.load import PRESETS
from kplace.synthesis.shapes import allocatable_of, built_in
from reference.markdown import cell, code, fenced, from_docstring, page, table

ORDER = (
    module.Description,
    module.Pool,
    module.NodeImage,
    module.Shape,
    module.Workload,
    module.Draw,
    module.Lognormal,
    module.Zipf,
    module.Uniform,
    module.Exponential,
    module.Spread,
    module.Near,
    module.Claim,
    module.Arrival,
)

INTRODUCTION = """
`kplace synth FILE` and `kplace.synth(FILE)` make up a cluster from a description: a file in TOML, YAML or JSON. Every
field is checked; what is unknown, of the wrong type or makes no sense is told with its path, all at once. The same
description and seed give the same cluster.

Quantities are written as Kubernetes has them: `"500m"`, `"8Gi"`, `4`.
[How to make a cluster](../howto/make-a-cluster.md) begins with a short one.
"""
KEPT = """
Of a shape's cpu a node keeps 6 % of the first core, 1 % of the second, 0.5 % of the next two and 0.25 % of all
above; of its memory 25 % of the first 4 GiB, 20 % of the next 4, 10 % of the next 8, 6 % of the next 112, 2 % of all
above, and
100 MiB below which it evicts pods; of its storage 10 %. These are the rules that the large providers publish.
"""
ENTRY = re.compile(r"^(\w[\w, ]*) : (.+)\n((?:    .*\n?)+)", re.MULTILINE)


def make() -> str:
    """The page."""
    parts = [INTRODUCTION]
    for struct in ORDER:
        parts += described_struct(struct)
    parts += ["## Presets", *_presets(), "## Types of machines", KEPT, _shapes()]
    return page("Descriptions of clusters", *parts)


def described_struct(struct: type[msgspec.Struct]) -> Iterator[str]:
    """A struct as a table of its fields."""
    text = inspect.cleandoc(struct.__doc__ or "")
    head, _, fields = text.partition("\nAttributes\n----------\n")
    yield f"## {struct.__name__}"
    yield from_docstring(head.strip())
    defaults = {field.name: field for field in msgspec.structs.fields(struct)}
    rows = []
    for names, kind, body in ENTRY.findall(fields + "\n"):
        for name in names.split(", "):
            field = defaults[name]
            meaning = from_docstring(" ".join(body.split()))
            rows.append((code(name), kind.removesuffix(", optional"), _default(field), meaning))
    missing = set(defaults) - {row[0].strip("`") for row in rows}
    if missing:
        message = f"{struct.__name__}: no description of {', '.join(sorted(missing))}"
        raise SystemExit(message)
    yield table(("field", "what", "default", "meaning"), rows)


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "needed"
    value = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    if value is None or value in ("", (), {}):
        return ""
    return code(str(value).lower() if isinstance(value, bool) else str(value))


def _presets() -> Iterator[str]:
    texts = {name: preset_text(name) for name in PRESETS}
    about = {name: text.partition("\n")[0].partition('"')[2].rstrip('"') for name, text in texts.items()}
    yield table(("preset", "what"), ((code(name), text) for name, text in about.items()))
    yield "`kplace synth NAME --show` prints one, to start from. The smallest:"
    yield fenced(texts["small"], "toml no-run")


def _shapes() -> str:
    rows = []
    for name, shape in built_in().items():
        offered = allocatable_of(shape)
        gpu = f"{shape.gpu} {shape.gpu_model}" if shape.gpu else ""
        memory = f"{offered['memory'] / 2**30:.1f} GiB"
        given = str(shape.memory).replace("Gi", " GiB")
        rows.append((code(name), str(shape.cpu), given, f"{offered['cpu']}m", memory, str(shape.pods), gpu, shape.arch))
    head = ("shape", "cpu", "memory", "cpu for pods", "memory for pods", "pods", "GPUs", "architecture")
    return table(head, (map(cell, row) for row in rows))
