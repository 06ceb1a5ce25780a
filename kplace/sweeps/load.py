"""Studies from files and plain values."""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from kplace.api import Cluster, read_config
from kplace.config.document import decoded_text, find_configuration, parse
from kplace.config.nodes import TextError, plain
from kplace.config.older.provider import PROVIDERS
from kplace.errors import ConfigError, Fault, InputError, KplaceError, UsageError
from kplace.io.shape import join_path, key_step
from kplace.sweeps.context import Context, Document
from kplace.sweeps.dataset import Origin
from kplace.sweeps.description import DEFAULT, Range, Study
from kplace.sweeps.sampling import SETTING, axes_of
from kplace.sweeps.schema import SCHEMA_VERSION
from kplace.sweeps.settings import with_settings
from kplace.sweeps.validate import faults_of
from kplace.synthesis.strict import read_struct

Given = str | Path | Mapping[str, Any]
"""What a study is given as: a file, or what it would hold, in which inputs may be clusters."""
_MAPPING = "<study>"
_CLUSTER = "<cluster>"
"""What stands in the place of a cluster that was given as such."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A study that was read and checked.

    Attributes
    ----------
    study : Study
    source : str
        The file, for messages.
    folder : Path
        What names of files are relative to.
    clusters : dict of str to Cluster
        Inputs that were given as clusters.
    documents : dict of str to Document
        Configurations by name.
    """

    study: Study
    source: str
    folder: Path
    clusters: Mapping[str, Cluster]
    documents: Mapping[str, Document]

    @property
    def context(self) -> Context:
        """What runs need of it."""
        study = self.study
        return Context(
            documents=self.documents,
            what_if=study.what_if,
            load=study.load,
            plugins=study.plugins,
            extenders=study.extenders,
            metrics=study.metrics,
            frames=study.frames,
        )

    def origin(self, inputs: Mapping[str, str]) -> Origin:
        """What results are made of; ``inputs`` are digests by name."""
        study = self.study
        rest = (study.plugins, study.extenders, study.metrics, study.frames, study.load)
        return Origin(
            schema=SCHEMA_VERSION,
            inputs=dict(inputs),
            configurations={name: _digest(document) for name, document in self.documents.items()},
            what_if={name: _digest(what_if) for name, what_if in study.what_if.items()},
            rest=_digest(rest),
        )


def _digest(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()[:16]


def load_study(given: Given) -> Loaded:
    """Read a study and check it, with the configurations that it names.

    Raises
    ------
    InputError
        With every fault of it.
    """
    if isinstance(given, Mapping):
        source, folder, value = _MAPPING, Path(), dict(given)
    else:
        source, folder, value = str(given), Path(given).parent, _from_file(Path(given))
    clusters: dict[str, Cluster] = {}
    if isinstance(value.get("inputs"), Mapping):
        listed = dict(value["inputs"])
        clusters = {name: item for name, item in listed.items() if isinstance(item, Cluster)}
        value["inputs"] = listed | dict.fromkeys(clusters, _CLUSTER)
    study, problems = read_struct(value, Study)
    if study is not None:
        study = structs.replace(study, name=study.name or _name_of(source))
        problems = faults_of(study)
    documents: dict[str, Document] = {}
    if study is not None and not problems:
        documents, problems = _documents(study, folder)
    if study is None or problems:
        raise InputError(Fault(source, "", path, message) for path, message in problems)
    return Loaded(study, source, folder, clusters, documents)


def _from_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InputError([Fault(str(path), "", "", f"not valid TOML: {error}")]) from error
    except UnicodeDecodeError as error:
        raise InputError([Fault(str(path), "", "", "is not UTF-8 text")]) from error
    except OSError as error:
        raise InputError([Fault(str(path), "", "", f"cannot be read: {error.strerror or error}")]) from error


def _name_of(source: str) -> str:
    stem = Path(source).name.removesuffix(".toml")
    return "study" if source == _MAPPING else "".join(c if c.isalnum() or c in "._-" else "-" for c in stem)


def _documents(study: Study, folder: Path) -> tuple[dict[str, Document], list[tuple[str, str]]]:
    """Configurations as plain values, each read once to see that it can be, and with every single setting."""
    documents: dict[str, Document] = {DEFAULT: None}
    problems: list[tuple[str, str]] = []
    for name, given in study.configurations.items():
        path = join_path("configurations", key_step(name))
        try:
            documents[name] = _document(given, folder)
            read_config(_source(given, folder), plugins=study.plugins)
        except (KplaceError, OSError, TextError) as error:
            problems.append((path, str(error)))
    if not problems:
        problems = list(_settings(study, documents))
    return documents, problems


def _source(given: str | dict[str, Any], folder: Path) -> str | dict[str, Any]:
    return given if not isinstance(given, str) or given in PROVIDERS else str(folder / given)


def _document(given: str | dict[str, Any], folder: Path) -> Document:
    if not isinstance(given, str) or given in PROVIDERS:
        return given
    text = decoded_text((folder / given).read_bytes())
    value = plain(parse(find_configuration(text).content).root)
    if not isinstance(value, dict):
        msg = f"{given}: holds no configuration"
        raise ConfigError(msg)
    return value


def _settings(study: Study, documents: Mapping[str, Document]) -> Iterator[tuple[str, str]]:
    """Faults of single settings, each tried by itself in each configuration; of explicit runs as they stand."""
    asked = next(axis for axis in axes_of(study) if axis.name == "configuration").values
    tries: list[tuple[str, dict[str, Any], list[str]]] = []
    for axis in axes_of(study):
        if axis.name.startswith(SETTING):
            setting = axis.name.removeprefix(SETTING)
            path = join_path("axes.settings", key_step(setting))
            values = [axis.at(0), axis.at(1)] if isinstance(axis.given, Range) else axis.given
            tries += [(f"{path}[{i}]", {setting: value}, asked) for i, value in enumerate(values)]
    for i, point in enumerate(study.run):
        if point.settings:
            tries.append((f"run[{i}].settings", point.settings, [point.configuration or asked[0]]))
    for path, settings, names in tries:
        for name in names:
            document = documents[name]
            try:
                if isinstance(document, str):
                    yield path, f"{name} is an algorithm provider: single settings need a configuration"
                else:
                    read_config(with_settings(document or {}, settings), plugins=study.plugins)
            except (ConfigError, UsageError) as error:
                yield path, f"with the configuration {name}: {error}"
