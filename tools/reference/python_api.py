"""python.md: the public names of the package with their docstrings."""

import inspect
import re
from collections.abc import Iterator
from functools import cached_property

import kplace
from reference.markdown import code, fenced, from_docstring, page

INTRODUCTION = """
What `import kplace` offers. It loads neither numba nor pandas until they are needed. Everything else is internal
and may change, but for `kplace.frames.schema`, which [the tables](tables.md) come from. `kplace.plot` has
[pictures](plots.md).
"""
ORDER = ("read", "place", "explain", "read_placements", "Cluster", "Placements", "InputError", "KplaceError")
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
LONGEST = 90
"""Letters that a signature may have in one line."""
INTERNAL = {"of_run"}
ENTRY_SECTIONS = {"Parameters", "Attributes", "Returns", "Raises", "Yields"}


def make() -> str:
    """The page."""
    public = set(kplace.__all__) - {"__version__", "plot"}
    names = [*(name for name in ORDER if name in public), *sorted(public - set(ORDER))]
    return page("Python", INTRODUCTION, *(part for name in names for part in _item(name)))


def _item(name: str) -> Iterator[str]:
    item = getattr(kplace, name)
    yield f"## kplace.{name}"
    if not inspect.isclass(item):
        yield fenced(f"kplace.{name}{signature(item)}", "python no-run")
        yield from described(item)
        return
    yield from described(item)
    for own, member in vars(item).items():
        if own.startswith("_") or own in INTERNAL:
            continue
        plain = member.__func__ if isinstance(member, staticmethod | classmethod) else member
        if inspect.isfunction(plain):
            yield f"### {name}.{own}"
            yield fenced(f"{name}.{own}{signature(plain)}", "python no-run")
            yield from described(plain)
        elif isinstance(member, property | cached_property):
            yield f"### {name}.{own}"
            yield from described(member)


def signature(function: object) -> str:
    """Call of a function as it is written down: without annotations, over several lines if it is long."""
    found = inspect.signature(function, eval_str=False)  # type: ignore[arg-type]
    parameters = [item for item in found.parameters.values() if item.name != "self"]
    bare = found.replace(
        parameters=[item.replace(annotation=inspect.Parameter.empty) for item in parameters],
        return_annotation=inspect.Signature.empty,
    )
    text = str(bare)
    if len(text) <= LONGEST:
        # One that could be called as it stands is formatted as code is.
        return text.replace("'", '"')
    kinds = [item.kind for item in parameters]
    parts = list(map(str, bare.parameters.values()))
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        parts.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    return "(\n    " + ",\n    ".join(parts) + ",\n)"


def described(item: object) -> Iterator[str]:
    """A numpydoc docstring as Markdown."""
    text = inspect.cleandoc(getattr(item, "__doc__", None) or "")
    head, *sections = SECTION.split(text)
    yield from_docstring(head)
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        if title == "Parameters" and inspect.isclass(item):
            continue  # users do not call the constructors
        if title == "Examples":
            yield fenced(body, "pycon")
        elif title in ENTRY_SECTIONS:
            yield f"*{title}*\n\n" + "\n".join(_entries(body))
        else:
            yield f"*{title}*\n\n{from_docstring(body)}"


def _entries(body: str) -> Iterator[str]:
    """Entries of a section as list items; what is indented belongs to the entry above it."""
    for entry in re.split(r"\n(?=\S)", body.strip("\n")):
        head, _, rest = entry.partition("\n")
        text = inspect.cleandoc(rest) if rest.strip() else ""
        separator = ": " if text else ""
        yield f"- {code(head.replace('`', ''))}{separator}{_indented(from_docstring(text))}"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" if line and number else line for number, line in enumerate(text.split("\n")))
