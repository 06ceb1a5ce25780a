"""A cluster in which what was settled for claims stands in the claims and volumes themselves."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import msgspec
from msgspec import Struct, structs

from kplace.columns.cluster import ClusterColumns, SourceObject
from kplace.columns.storage.claims import SELECTED_NODE, ClaimKey
from kplace.objects.meta import ObjectMeta
from kplace.objects.storage import PersistentVolume, PersistentVolumeClaim, TypedReference

_CLAIM, _VOLUME = "PersistentVolumeClaim", "PersistentVolume"


def with_settled(columns: ClusterColumns, settled: Mapping[ClaimKey, tuple[str, str]]) -> ClusterColumns:
    """Build the same cluster with what the scheduler writes when it binds a pod's claims.

    A volume that was promised gets a ``claimRef``, and a claim for which one is to be made the annotation that names
    the node. Nobody has bound or made anything yet.

    Parameters
    ----------
    settled : mapping of (str, str) to (str, str)
        By claim its volume, empty if one is to be made, and its pod's node.
    """
    if not settled:
        return columns
    writer = _Writer(columns, settled)
    objects = dict(columns.objects)
    sources = list(columns.sources)
    for kind in (_CLAIM, _VOLUME):
        places = (at for at, source in enumerate(sources) if source.kind == kind)
        objects[kind] = [*writer.written(kind, places, sources)]
    return replace(columns, objects=objects, sources=sources)


class _Writer:
    def __init__(self, columns: ClusterColumns, settled: Mapping[ClaimKey, tuple[str, str]]) -> None:
        self._columns = columns
        claims = {_key(item.metadata): item for item in columns.of_kind(PersistentVolumeClaim)}
        self._node = {claim: node for claim, (volume, node) in settled.items() if not volume}
        self._owner = {
            volume: TypedReference(_CLAIM, *claim, claims[claim].metadata.uid)
            for claim, (volume, _) in settled.items()
            if volume and claim in claims
        }

    def written(self, kind: str, places: Iterator[int], sources: list[SourceObject]) -> Iterator[Struct]:
        """Objects of a kind as they are now; modifies the sources at ``places``, which are theirs."""
        for item in self._columns.objects.get(kind, ()):
            # What was made up has no source, and comes last.
            place = next(places, None)
            patch = self._patch(item)
            if not patch:
                yield item
                continue
            if place is not None:
                raw = _merged(msgspec.json.decode(sources[place].raw), patch)
                sources[place] = replace(sources[place], raw=msgspec.json.encode(raw))
            yield self._changed(item)

    def _patch(self, item: Struct) -> dict[str, Any]:
        """What changes of an object, as a part of its manifest."""
        if isinstance(item, PersistentVolumeClaim) and _key(item.metadata) in self._node:
            return {"metadata": {"annotations": {SELECTED_NODE: self._node[_key(item.metadata)]}}}
        if isinstance(item, PersistentVolume) and item.metadata.name in self._owner:
            return {"spec": {"claimRef": msgspec.to_builtins(self._owner[item.metadata.name])}}
        return {}

    def _changed(self, item: Struct) -> Struct:
        if isinstance(item, PersistentVolumeClaim):
            annotations = {**(item.metadata.annotations or {}), SELECTED_NODE: self._node[_key(item.metadata)]}
            return structs.replace(item, metadata=structs.replace(item.metadata, annotations=annotations))
        assert isinstance(item, PersistentVolume)
        return structs.replace(item, spec=structs.replace(item.spec, claim_ref=self._owner[item.metadata.name]))


def _key(meta: ObjectMeta) -> ClaimKey:
    return meta.namespace or "default", meta.name


def _merged(item: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """A manifest with a part of it replaced, key by key."""
    merged = dict(item)
    for key, value in patch.items():
        old = item.get(key)
        merged[key] = _merged(old if isinstance(old, dict) else {}, value) if isinstance(value, dict) else value
    return merged
