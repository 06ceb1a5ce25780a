"""From a file's bytes to the parsed document of a configuration, be it the file itself or a key of a ConfigMap."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from kplace.config.json_text import parse_json
from kplace.config.nodes import Duplicate, Entry, Mapping, Node, Scalar, Sequence, TextError
from kplace.config.wire import GROUP, KIND
from kplace.config.yaml11 import parse_yaml

CONFIG_MAP = "ConfigMap"
POLICY = "Policy"

_SEPARATOR = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
_TEMPLATE = re.compile(r"^[^#\n]*?(\{\{.*?(?:\}\}|$))", re.MULTILINE)
_LITERAL = re.compile(r":\s*\|[-+0-9]*\s*(?:#.*)?$")


@dataclass(frozen=True, slots=True)
class Text:
    """A text that should be a configuration.

    Attributes
    ----------
    content : str
    key : str
        The key of the ConfigMap that holds it, or empty.
    offset : int
        Lines of the file before it; 0 also where it cannot be told.
    """

    content: str
    key: str = ""
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed text.

    Attributes
    ----------
    root : Node
    duplicates : tuple of Duplicate
        Keys that a YAML text repeats.
    is_json : bool
    """

    root: Node
    duplicates: tuple[Duplicate, ...]
    is_json: bool


def decoded_text(data: bytes) -> str:
    """Text of a file without its byte order mark.

    Raises
    ------
    TextError
        It is not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"not UTF-8 text: byte 0x{data[error.start]:02x}"
        raise TextError(msg, data.count(b"\n", 0, error.start) + 1) from error


def parse(text: str) -> Document:
    """Parse a text as upstream does: JSON if it begins with ``{``, else YAML, of which the first document counts.

    Raises
    ------
    TextError
        It cannot be parsed.
    """
    if text.lstrip().startswith("{"):
        return Document(parse_json(text), (), True)
    root, duplicates = parse_yaml(text)
    return Document(root, duplicates, False)


def has_more_documents(text: str) -> bool:
    r"""Whether a YAML text goes on after its first document.

    Examples
    --------
    >>> has_more_documents("---\na: 1\n"), has_more_documents("a: 1\n---\nb: 2\n"), has_more_documents("a: 1\n---\n")
    (False, True, False)
    """
    pieces = [_COMMENT.sub("", piece).strip() for piece in _SEPARATOR.split(text)]
    return len([piece for piece in pieces if piece]) > 1


def find_template(text: str) -> TextError | None:
    r"""What to say of a text that cannot be used because it is a Helm template; None if it is none.

    Examples
    --------
    >>> find_template("# {{ no }}\nname: {{ .Values.name }}\n").line
    2
    """
    found = _TEMPLATE.search(text)
    if found is None:
        return None
    msg = f"a Helm template: render it first, with `helm template` (here is {found[1][:40]})"
    return TextError(msg, text.count("\n", 0, found.start(1)) + 1)


def find_configuration(text: str) -> Text:
    r"""Find the configuration in a manifest: a key of a ConfigMap, known by what it holds, or the text itself.

    Raises
    ------
    TextError
        Several keys hold one, or a ConfigMap holds none.

    Examples
    --------
    >>> manifest = '''kind: ConfigMap
    ... data:
    ...   notes: none
    ...   config.yaml: |
    ...     kind: KubeSchedulerConfiguration
    ... '''
    >>> find_configuration(manifest)
    Text(content='kind: KubeSchedulerConfiguration\n', key='config.yaml', offset=4)
    """
    root = parse(text).root
    if _text_at(root, "kind") in {KIND, POLICY} or _text_at(root, "apiVersion").startswith(GROUP):
        return Text(text)
    config_maps = [found for node in _documents(text) for found in _config_maps(node)]
    found = [held for config_map in config_maps for held in _held(config_map, text)]
    if len(found) == 1:
        return found[0]
    if found:
        keys = ", ".join(held.key for held in found)
        msg = f"holds {len(found)} configurations ({keys}): write the one to use to a file of its own"
        raise TextError(msg)
    if config_maps:
        msg = "a ConfigMap of which no key holds a scheduler configuration"
        raise TextError(msg, config_maps[0].line)
    return Text(text)


def _documents(text: str) -> Iterator[Node]:
    """All documents that can be parsed; their nodes know their lines in the file."""
    starts = {0, *(separator.start() for separator in _SEPARATOR.finditer(text))}
    roots = {}
    for start in sorted(starts):
        try:
            root = parse("\n" * text.count("\n", 0, start) + text[start:]).root
        except TextError:
            continue
        roots[root.line] = root
    yield from roots.values()


def _config_maps(node: Node) -> Iterator[Mapping]:
    if not isinstance(node, Mapping):
        return
    if _text_at(node, "kind") == CONFIG_MAP:
        yield node
    items = node.get("items")
    if isinstance(items, Sequence):
        for item in items.items:
            yield from _config_maps(item)


def _held(config_map: Mapping, text: str) -> Iterator[Text]:
    data = config_map.get("data")
    for entry in data.entries if isinstance(data, Mapping) else ():
        held = entry.value
        if isinstance(held, Scalar) and isinstance(held.value, str) and _looks_like_configuration(held.value):
            line = text.splitlines()[held.line - 1]
            yield Text(held.value, entry.key, held.line if _LITERAL.search(line) else 0)


def _looks_like_configuration(text: str) -> bool:
    try:
        root = parse(text).root
    except TextError:
        return re.search(rf"\bkind\W+({KIND}|{POLICY})\b", text) is not None
    return _text_at(root, "kind") in {KIND, POLICY}


def _text_at(node: Node, key: str) -> str:
    value = node.get(key) if isinstance(node, Mapping) else None
    return value.value if isinstance(value, Scalar) and isinstance(value.value, str) else ""


def with_version(document: Document, old: str, new: str) -> Document:
    """The same document with another version, also where arguments of plugins say theirs."""

    def changed(node: Node, below: tuple[str, ...]) -> Node:
        if isinstance(node, Sequence):
            return replace(node, items=tuple(changed(item, below) for item in node.items))
        if not isinstance(node, Mapping):
            return node
        return replace(node, entries=tuple(changed_entry(entry, below) for entry in node.entries))

    def changed_entry(entry: Entry, below: tuple[str, ...]) -> Entry:
        value = entry.value
        if entry.key == "apiVersion" and isinstance(value, Scalar) and value.value == old:
            return replace(entry, value=replace(value, value=new))
        return replace(entry, value=changed(value, below[1:])) if below and entry.key == below[0] else entry

    return replace(document, root=changed(document.root, ("profiles", "pluginConfig", "args")))
