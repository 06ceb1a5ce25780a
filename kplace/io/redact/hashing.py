"""What becomes of texts: names, labels, images, resources, drivers.

A text gets the same token wherever it stands, so that whoever names a thing still names it. What rules depend on stays:
whether a text is there at all, whether it could be a label, whether it is a number where numbers are compared.
"""

import base64
import hashlib
import uuid
from collections.abc import Set

from kplace.columns.annotations import GPU_MODEL
from kplace.columns.node_order import REGION_LABELS, ZONE_LABELS
from kplace.columns.node_selectors import is_label_key, is_label_value, parse_int64
from kplace.columns.resources import BASE_RESOURCES
from kplace.objects.defaulting import BUILT_IN_PRIORITIES, DEFAULT_SCHEDULER

KNOWN_DOMAINS = (
    *("kubernetes.io", "k8s.io", "x-k8s.io", "k8s.aws", "karpenter.sh", "kplace.io"),
    *("amazonaws.com", "aws.com", "aws.amazon.com", "azure.com", "cloud.google.com", "gke.io", "alibabacloud.com"),
    *("nvidia.com", "amd.com", "intel.com", "habana.ai", "openstack.org", "vmware.com"),
)
"""Keys of labels, resources and drivers of these domains and of those below them are public: they are kept."""

KNOWN_KEYS = frozenset(
    {
        "controller-revision-hash",
        "controller-uid",
        "job-name",
        "pod-template-generation",
        "pod-template-hash",
    }
)
"""Keys without a domain that are kept: those that controllers write."""

KEPT_NAMES = frozenset(
    {"", "default", "kube-system", "kube-public", "kube-node-lease", DEFAULT_SCHEDULER, *BUILT_IN_PRIORITIES}
)
"""Names that every cluster has."""

_NUMBERED = frozenset({"apps.kubernetes.io/pod-index", "batch.kubernetes.io/job-completion-index"})
_UIDS = frozenset({"controller-uid", "batch.kubernetes.io/controller-uid"})
_ZONES = frozenset({*ZONE_LABELS, *REGION_LABELS})
_ZONE_SEPARATOR = "__"
_HANDLE_WORDS = frozenset({"", "aws:", "projects", "zones", "regions", "disks", "UNSPECIFIED"})
_ANY_ADDRESS = frozenset({"", "0.0.0.0", "::"})
_NO_LABEL = "!"
"""Begins what could be no label before, and so cannot be one afterwards."""
_LENGTH = 10


class Hasher:
    """Gives texts their tokens.

    Parameters
    ----------
    key : bytes
        The same key gives the same tokens; without it nobody can try out what a token may stand for.
    stems : set of str
        Names that others begin with: those of controllers. ``web-1`` becomes the token of ``web``, and ``-1``.
    compared : set of str
        Keys of labels whose values are compared as numbers somewhere.

    Examples
    --------
    >>> hasher = Hasher(b"secret", {"web"}, {"generation"})
    >>> hasher.name("web-12") == hasher.name("web") + "-12"
    True
    >>> hasher.label_value("generation", "7"), hasher.label_key("topology.kubernetes.io/zone")
    ('7', 'topology.kubernetes.io/zone')
    >>> hasher.image("registry.example:5000/shop/web:1.2").count(":"), hasher.image("web").count(":")
    (1, 0)
    """

    def __init__(self, key: bytes, stems: Set[str] = frozenset(), compared: Set[str] = frozenset()) -> None:
        self._key = hashlib.sha256(key).digest()
        self._stems = stems
        self._compared = compared
        self._tokens: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def token(self, text: str) -> str:
        """The token of a text: a letter and letters or digits, never the same for two texts."""
        known = self._tokens.get(text)
        if known is not None:
            return known
        digest = hashlib.blake2b(text.encode(), key=self._key, digest_size=20).digest()
        letters = base64.b32encode(digest).decode().lower()
        length = _LENGTH
        while self._texts.setdefault(token := f"x{letters[:length]}", text) != text:
            length += 1
        self._tokens[text] = token
        return token

    def name(self, text: str) -> str:
        """A name, or a text that may be one."""
        known = self._names.get(text)
        if known is None:
            known = self._names[text] = self._name(text)
        return known

    def _name(self, text: str) -> str:
        if text in KEPT_NAMES:
            return text
        end = len(text)
        while end > 0:
            stem, rest = text[:end], text[end + 1 :]
            if stem in self._stems and stem != text:
                return f"{self.token(stem)}-{rest if rest.isdecimal() else self.name(rest)}"
            end = text.rfind("-", 0, end)
        return self.token(text)

    def label_key(self, key: str) -> str:
        """Key of a label, a taint or a topology."""
        domain, _, _ = key.rpartition("/")
        if key == "" or key in KNOWN_KEYS or (domain and _is_known(domain)):
            return key
        return self.token(key) if is_label_key(key) else _NO_LABEL + self.token(key)

    def label_value(self, key: str, text: str) -> str:
        """Value of a label or a taint of some key."""
        if text == "" or (key in self._compared and parse_int64(text) is not None):
            return text
        if not is_label_value(text):
            return _NO_LABEL + self.token(text)
        if key in _NUMBERED and text.isdecimal():
            return text
        if key in _UIDS:
            return self.uid(text)
        if key in _ZONES:
            return _ZONE_SEPARATOR.join(map(self.name, text.split(_ZONE_SEPARATOR)))
        return self.name(text)

    def models(self, text: str) -> str:
        """Models of GPU, joined by bars, as the label of a node has one."""
        return "|".join(self.label_value(GPU_MODEL, model) for model in text.split("|"))

    def image(self, text: str) -> str:
        """Name of an image; whether it has a tag stays, and so does ``latest``."""
        if not text:
            return text
        colon = text.rfind(":")
        if colon <= text.rfind("/"):
            return self.token(text)
        tag = text[colon + 1 :]
        return f"{self.token(text[:colon])}:{tag if tag == 'latest' else self.token(tag)}"

    def resource(self, name: str) -> str:
        """Name of a resource, with its prefix."""
        if name in (*BASE_RESOURCES, "pods", "storage") or name.startswith("hugepages-"):
            return name
        if name.startswith("attachable-volumes-"):
            return name
        prefix, slash, rest = name.rpartition("/")
        if slash and _is_known(prefix.removeprefix("requests.")):
            return name
        return f"{prefix}{slash}{self.token(rest)}"

    def driver(self, name: str) -> str:
        """Name of a driver or a provisioner."""
        return name if name == "" or _is_known(name.partition("/")[0]) else self.token(name)

    def handle(self, text: str) -> str:
        """What a volume, a disk or a path is called elsewhere, part by part."""
        return "/".join(part if part in _HANDLE_WORDS else self.token(part) for part in text.split("/"))

    def uid(self, text: str) -> str:
        """A uid; it looks like one."""
        return str(uuid.UUID(bytes=self._digest(text))) if text else text

    def address(self, text: str) -> str:
        """An address of a host; that of any host stays."""
        if text in _ANY_ADDRESS:
            return text
        digest = self._digest(text).hex()
        return "fd00::" + ":".join(digest[i : i + 4] for i in range(0, 16, 4))

    def _digest(self, text: str) -> bytes:
        return hashlib.blake2b(text.encode(), key=self._key, digest_size=16).digest()


def _is_known(domain: str) -> bool:
    return any(domain == known or domain.endswith(f".{known}") for known in KNOWN_DOMAINS)
