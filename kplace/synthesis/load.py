"""Descriptions from files, presets and plain values."""

import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import yaml
from msgspec import structs

from kplace.config.misfits import suggestion
from kplace.errors import Fault, InputError, UsageError
from kplace.io.manifests import Dumper
from kplace.io.sources import Source, SourceError
from kplace.io.yaml_documents import YamlError, yaml_to_json
from kplace.synthesis.description import Description, Shape
from kplace.synthesis.shapes import built_in
from kplace.synthesis.strict import plain, read_struct
from kplace.synthesis.validate import faults_of

Given = str | Path | Mapping[str, Any] | Description
"""What describes a cluster: the name of a preset, a file, or the same as plain values."""

PRESETS = ("small", "web", "ml-gpu", "edge", "batch", "datacenter-5k", "datacenter-100k")
ENDINGS = (".toml", ".yaml", ".yml", ".json")
_MAPPING = "<description>"


def load_description(
    given: Given,
    *,
    nodes: int | None = None,
    pods: int | None = None,
    scale: float = 1.0,
    shapes: Mapping[str, Shape] | None = None,
) -> Description:
    """Read a description and check it.

    Parameters
    ----------
    given : str, path, mapping or Description
        A preset of `PRESETS`, a file (``.toml``, ``.yaml``, ``.json``), or plain values.
    nodes, pods : int, optional
        In the place of what it says; ``pods`` also in the place of a utilisation.
    scale : float
        So many times as many nodes and pods, before ``nodes`` and ``pods`` count.
    shapes : mapping of str to Shape, optional
        Types of machines beside the built-in ones.

    Raises
    ------
    InputError
        With every fault of it.
    UsageError
        There is no such preset.
    """
    if isinstance(given, Description):
        source, description = _MAPPING, given
    else:
        source, value = _plain(given)
        read, problems = read_struct(value, Description)
        if read is None:
            raise InputError(Fault(source, "", path, message) for path, message in problems)
        description = read
    if scale != 1.0:
        description = _scaled(description, scale)
    if nodes is not None:
        description = structs.replace(description, nodes=nodes)
    if pods is not None:
        description = structs.replace(description, pods=pods, utilisation={})
    known = {**built_in(), **(shapes or {}), **description.shapes}
    if faults := faults_of(description, known):
        raise InputError(Fault(source, "", path, message) for path, message in faults)
    return description


def _scaled(description: Description, scale: float) -> Description:
    total = sum(pool.count for pool in description.pools) if description.nodes is None else description.nodes
    workloads = tuple(
        item
        if item.apps is None or item.kind == "DaemonSet"
        else structs.replace(item, apps=max(round(item.apps * scale), 1))
        for item in description.workloads
    )
    return structs.replace(
        description,
        nodes=round(total * scale),
        pods=None if description.pods is None else round(description.pods * scale),
        workloads=workloads,
    )


def description_text(description: Description) -> str:
    """A description as YAML."""
    text: str = yaml.dump(plain(description), Dumper=Dumper, sort_keys=False, allow_unicode=True, width=120)
    return text


def preset_text(name: str) -> str:
    """The description of a preset, as TOML.

    Raises
    ------
    UsageError
        There is no such preset.
    """
    if name not in PRESETS:
        meant = suggestion(name, PRESETS)
        msg = (
            f'description: there is no preset "{name}"{meant} (there are {", ".join(PRESETS)}; '
            f"a file ends in {', '.join(ENDINGS)})"
        )
        raise UsageError(msg)
    return resources.files("kplace.synthesis").joinpath("presets", f"{name}.toml").read_text(encoding="utf-8")


def _plain(given: str | Path | Mapping[str, Any]) -> tuple[str, object]:
    if isinstance(given, Mapping):
        return _MAPPING, dict(given)
    name = str(given)
    if name in PRESETS or not (name.endswith(ENDINGS) or Path(given).exists()):
        return name, tomllib.loads(preset_text(name))
    try:
        return name, _parsed(name, Source(name, path=Path(given)).read().decode(errors="replace"))
    except SourceError as error:
        raise InputError([Fault(name, "", "", str(error))]) from error


def _parsed(name: str, text: str) -> object:
    try:
        if name.endswith(".toml"):
            return tomllib.loads(text)
        documents = list(yaml_to_json(text))
    except tomllib.TOMLDecodeError as error:
        raise InputError([Fault(name, "", "", f"not valid TOML: {error}")]) from error
    faults = [Fault(name, "", "", str(item)) for item in documents if isinstance(item, YamlError)]
    texts = [item for item in documents if isinstance(item, bytes)]
    if faults or len(texts) != 1:
        raise InputError(faults or [Fault(name, "", "", f"expected one document, got {len(texts)}")])
    return msgspec.json.decode(texts[0])
