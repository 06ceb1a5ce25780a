"""Names of made pods and hashes of pod templates: the same for the same input, on every machine."""

import hashlib
from collections.abc import Iterable, Iterator
from itertools import count

import msgspec

from kplace.objects.core import PodTemplateSpec

SAFE_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
"""Upstream's alphabet for generated names: no vowels and no look-alikes, so that no words come out."""
HASH_LENGTH = 10

_LONGEST_STEM = 57
"""With a dash and five digits 63 characters, the most that upstream lets a generated name have."""

_ENCODER = msgspec.msgpack.Encoder(order="sorted")


def template_hash(template: PodTemplateSpec) -> str:
    """Short hash of a pod template, in place of the one that the real controllers compute.

    Only the fields that kplace reads take part, and not the order in which labels and the like are written. The
    value differs from upstream's, which hashes a dump of Go structs.

    Examples
    --------
    >>> from kplace.objects.meta import ObjectMeta
    >>> template_hash(PodTemplateSpec(metadata=ObjectMeta(labels={"app": "web", "tier": "front"})))
    'nkcmglzng8'
    >>> template_hash(PodTemplateSpec(metadata=ObjectMeta(labels={"tier": "front", "app": "web"})))
    'nkcmglzng8'
    """
    number = int.from_bytes(hashlib.sha256(_ENCODER.encode(template)).digest(), "big")
    letters = []
    for _ in range(HASH_LENGTH):
        number, digit = divmod(number, len(SAFE_LETTERS))
        letters.append(SAFE_LETTERS[digit])
    return "".join(letters)


class PodNames:
    """The pod names in use, by namespace.

    Parameters
    ----------
    used : iterable of (namespace, name)

    Examples
    --------
    >>> names = PodNames([("shop", "web-00001")])
    >>> list(names.numbered("shop", "web", 2))
    ['web-00000', 'web-00002']
    >>> names.take("shop", "web-00000"), names.take("data", "web-00000")
    (False, True)
    """

    def __init__(self, used: Iterable[tuple[str, str]] = ()) -> None:
        self._used = set(used)

    def take(self, namespace: str, name: str) -> bool:
        """Take a name, unless it is in use already; whether it was free."""
        if (namespace, name) in self._used:
            return False
        self._used.add((namespace, name))
        return True

    def numbered(self, namespace: str, stem: str, wanted: int) -> Iterator[str]:
        """Take the first free names of the form ``<stem>-00000``; a long stem is cut short."""
        stem = stem[:_LONGEST_STEM].rstrip("-.")
        numbers = count()
        for _ in range(wanted):
            yield next(name for number in numbers if self.take(namespace, name := f"{stem}-{number:05d}"))
