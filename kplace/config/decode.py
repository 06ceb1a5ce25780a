"""The first stage: a document becomes a configuration, strictly, with the arguments of known plugins."""

from collections.abc import Callable, Set
from collections.abc import Mapping as Map
from dataclasses import dataclass, replace

from kplace.config.catalogue import Catalogue
from kplace.config.document import Document
from kplace.config.fields import child, item
from kplace.config.misfits import Misfit, Misfits
from kplace.config.nodes import Mapping, Node, Scalar, TextError, is_null
from kplace.config.schema import decode, zero
from kplace.config.wire import GROUP, KIND, V1, KubeSchedulerConfiguration, TypeMeta

FORMER_FIELDS = (
    "algorithmSource",
    "bindTimeoutSeconds",
    "disablePreemption",
    "featureGates",
    "hardPodAffinitySymmetricWeight",
    "healthzBindAddress",
    "metricsBindAddress",
    "schedulerName",
)
"""Fields that versions before v1 had."""

Args = TypeMeta | Node | None
"""A plugin's arguments: decoded if the plugin's are known, else as they stand."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a document says it is."""

    api_version: str
    kind: str


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded configuration.

    Attributes
    ----------
    config : KubeSchedulerConfiguration
        What is of the wrong type or unknown is left out.
    args : mapping of (int, int) to Args
        By the positions of the profile and of the entry in its ``pluginConfig``.
    misfits : tuple of Misfit
    """

    config: KubeSchedulerConfiguration
    args: Map[tuple[int, int], Args]
    misfits: tuple[Misfit, ...]

    @property
    def is_usable(self) -> bool:
        """Whether nothing was fatal: upstream then knows what would have come of it."""
        return not any(misfit.is_fatal for misfit in self.misfits)


def read_header(root: Node) -> Header:
    """Say what a document is.

    Raises
    ------
    TextError
        It does not say so.
    """
    if is_null(root):
        msg = "the first document is empty: expected a KubeSchedulerConfiguration"
        raise TextError(msg, root.line)
    if not isinstance(root, Mapping):
        msg = f"expected an object with apiVersion: {V1} and kind: {KIND}"
        raise TextError(msg, root.line)
    kind = _word(root, "kind", KIND)
    return Header(_word(root, "apiVersion", V1), kind)


def _word(root: Mapping, key: str, expected: str) -> str:
    node = root.get(key)
    if node is not None and isinstance(node, Scalar) and isinstance(node.value, str) and node.value:
        return node.value
    if node is not None and not is_null(node) and not (isinstance(node, Scalar) and node.value == ""):
        msg = f"{key}: expected text, such as {expected}"
        raise TextError(msg, node.line)
    msg = f"{key} is missing: expected {key}: {expected}{_what_else(root, key)}"
    raise TextError(msg, root.line)


def _what_else(root: Mapping, key: str) -> str:
    """What a document without kind or apiVersion may be."""
    names = {entry.key.lower(): entry.key for entry in root.entries}
    if key.lower() in names and names[key.lower()] != key:
        return f'; "{names[key.lower()]}" is written {key}'
    if "algorithmprovider" in names:
        return "; these are the options of a scheduler before 1.10, which no release reads any more"
    if "kind" not in names and "apiversion" not in names:
        return "; if these are the values of a Helm chart, render it first, with `helm template`"
    return ""


Reader = Callable[[Node, Misfits], KubeSchedulerConfiguration]
"""Decodes a document of one version strictly, all but the arguments of plugins."""


def read_v1(root: Node, misfits: Misfits) -> KubeSchedulerConfiguration:
    """Decode a document of v1."""
    own = Misfits()
    config = decode(KubeSchedulerConfiguration, root, "", own)
    misfits.found += map(_with_history, own.found)
    return config


def decode_configuration(document: Document, read: Reader, catalogue: Catalogue, versions: Set[str]) -> Decoded:
    """Decode a configuration.

    Parameters
    ----------
    document : Document
    read : Reader
        The version's own.
    catalogue : Catalogue
        Knows the arguments of its plugins.
    versions : set of str
        Those that arguments may name.
    """
    misfits = Misfits([Misfit(one.line, one.key, "is given twice", False) for one in document.duplicates])
    config = read(document.root, misfits)
    args: dict[tuple[int, int], Args] = {}
    for i, profile in enumerate(config.profiles):
        for j, entry in enumerate(profile.plugin_config):
            path = child(item(child(item("profiles", i), "pluginConfig"), j), "args")
            args[i, j] = _decode_args(entry.name, entry.args, path, catalogue, versions, misfits)
    return Decoded(config, args, tuple(misfits.found))


def _with_history(misfit: Misfit) -> Misfit:
    is_former = not misfit.is_fatal and misfit.field in FORMER_FIELDS and misfit.message.startswith("unknown field")
    return replace(misfit, message="unknown field: older versions had it, v1 does not") if is_former else misfit


def decode_internal(document: Document) -> Decoded:
    """Decode the internal version, which no file should name: its fields are not for files."""
    misfits = Misfits([Misfit(one.line, one.key, "is given twice", False) for one in document.duplicates])
    decode(TypeMeta, document.root, "", misfits)
    return Decoded(zero(KubeSchedulerConfiguration), {}, tuple(misfits.found))


def _decode_args(
    name: str, node: Node | None, path: str, catalogue: Catalogue, versions: Set[str], misfits: Misfits
) -> Args:
    spec = catalogue.args_of(name)
    if spec is None:
        return node
    if isinstance(node, Mapping) and not _is_of_kind(node, f"{name}Args", path, versions, misfits):
        return zero(spec.wire)
    decoded: TypeMeta = decode(spec.wire, node, path, misfits)
    return decoded


def _is_of_kind(node: Mapping, kind: str, path: str, versions: Set[str], misfits: Misfits) -> bool:
    """Whether arguments are what they must be; they need not say so, but must not say otherwise."""
    for key, expected in (("apiVersion", versions), ("kind", {kind})):
        said = node.get(key)
        if isinstance(said, Scalar) and isinstance(said.value, str) and said.value and said.value not in expected:
            message = f'expected {" or ".join(sorted(expected))}, got "{said.value}"'
            misfits.found.append(Misfit(said.line, child(path, key), message, True))
            return False
    return True


def is_of_the_group(header: Header) -> bool:
    """Whether a document is of the scheduler's own group, of whatever version and kind."""
    return header.api_version.startswith(f"{GROUP}/")
