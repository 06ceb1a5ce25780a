"""From the scheduling-relevant parts of pods to templates."""

from collections.abc import Hashable, Iterable, Mapping, Sequence

import msgspec
import numpy as np
from msgspec import Struct, structs

from kplace.columns.resources import PodRequests, pod_requests, request_vector, resource_names
from kplace.columns.templates import Template
from kplace.columns.vocab import Vocabulary
from kplace.objects.core import Namespace, PodSpec, PodStatus, Volume
from kplace.objects.defaulting import AdmissionLookups, defaulted_spec, has_label_keys
from kplace.objects.meta import OwnerReference
from kplace.objects.storage import ClaimVolumeSource

NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name"
"""Label that every namespace has: its own name."""


class TemplateKey(Struct, frozen=True, gc=False, array_like=True):
    """The scheduling-relevant part of a pod as it stands in the input."""

    namespace: str
    labels: dict[str, str] | None
    annotations: dict[str, str] | None
    owner: OwnerReference | None
    spec: PodSpec
    resize: PodStatus | None
    admitted: bool


def compile_templates(
    keys: Sequence[TemplateKey], lookups: AdmissionLookups, offered: Iterable[Mapping[str, int]]
) -> tuple[list[Template], Vocabulary]:
    """Make templates of the parts that pods share.

    Parameters
    ----------
    keys : sequence of TemplateKey
        A template's code is its position.
    lookups : AdmissionLookups
    offered : iterable of mapping of str to int
        What nodes offer; their resources are part of the vocabulary.

    Returns
    -------
    templates : list of Template
    resources : Vocabulary
        Every resource that counts and that a node offers or a pod requests.
    """
    specs = _defaulted(keys, lookups)
    requests = _requests(keys, specs)
    distinct = {id(request): request for request in requests}
    named = [amounts for request in distinct.values() for amounts in (request.plain, request.scored)]
    # What a resize hides is there again by the rules of earlier releases.
    named += [pod_requests(spec).plain for spec, key in zip(specs, keys, strict=True) if key.resize]
    resources = resource_names([*named, *({k: v for k, v in item.items() if k != "pods"} for item in offered)])
    vectors = {
        number: (
            request_vector(request.plain, resources),
            np.array(request.non_zero, np.int64),
            request_vector(request.scored, resources),
        )
        for number, request in distinct.items()
    }
    templates = [
        Template(
            code=code,
            shape=shape,
            namespace=key.namespace,
            labels=key.labels or {},
            annotations=key.annotations or {},
            owner=key.owner,
            spec=spec,
            priority=spec.priority or 0,
            request=vectors[id(request)][0],
            non_zero_request=vectors[id(request)][1],
            scored_request=vectors[id(request)][2],
            resize=key.resize,
            keyed_affinity=key.spec.affinity if has_label_keys(key.spec.affinity) else None,
        )
        for code, (key, shape, spec, request) in enumerate(
            zip(keys, _shapes(keys, specs), specs, requests, strict=True)
        )
    ]
    return templates, resources


def _defaulted(keys: Sequence[TemplateKey], lookups: AdmissionLookups) -> list[PodSpec]:
    """The specs with their defaults; keys that share a spec share what comes of it, unless labels have a say."""
    known: dict[Hashable, PodSpec] = {}
    specs = []
    for key in keys:
        labels = id(key) if key.spec.affinity or key.spec.topology_spread_constraints else 0
        same = (id(key.spec), key.namespace, key.admitted, labels)
        if same not in known:
            known[same] = defaulted_spec(key.spec, key.namespace, key.labels or {}, lookups, admitted=key.admitted)
        specs.append(known[same])
    return specs


def _requests(keys: Sequence[TemplateKey], specs: Sequence[PodSpec]) -> list[PodRequests]:
    known: dict[Hashable, PodRequests] = {}
    requests = []
    for key, spec in zip(keys, specs, strict=True):
        same = (id(spec), id(key.resize))
        if same not in known:
            known[same] = pod_requests(spec, key.resize)
        requests.append(known[same])
    return requests


def _shapes(keys: Sequence[TemplateKey], specs: Sequence[PodSpec]) -> list[int]:
    """For each template the number of its shape."""
    numbers: dict[bytes, int] = {}
    encoded = {
        id(spec): _ENCODER.encode(_without_amounts(spec)) for spec in {id(spec): spec for spec in specs}.values()
    }
    parts = (
        _ENCODER.encode((key.namespace, key.labels, key.annotations, key.owner)) + encoded[id(spec)]
        for key, spec in zip(keys, specs, strict=True)
    )
    return [numbers.setdefault(part, len(numbers)) for part in parts]


_ENCODER = msgspec.msgpack.Encoder()


def _without_amounts(spec: PodSpec) -> PodSpec:
    """The spec without what it requests, and without the names of its claims."""
    return structs.replace(
        spec,
        volumes=tuple(map(_without_claim_name, spec.volumes)) if spec.volumes else None,
        containers=tuple(structs.replace(item, resources=None) for item in spec.containers or ()),
        init_containers=tuple(structs.replace(item, resources=None) for item in spec.init_containers or ()),
        resources=None,
        overhead=None,
    )


_SOME_CLAIM = ClaimVolumeSource()


def _without_claim_name(volume: Volume) -> Volume:
    if volume.persistent_volume_claim is None:
        return volume
    return structs.replace(volume, persistent_volume_claim=_SOME_CLAIM)


def labels_of_namespaces(namespaces: Iterable[Struct], used: Iterable[str]) -> dict[str, Mapping[str, str]]:
    """Labels of each namespace.

    Parameters
    ----------
    namespaces : iterable of Namespace
    used : iterable of str
        Names that pods use; those without an object have the name label only.
    """
    labels: dict[str, Mapping[str, str]] = {}
    for item in namespaces:
        if isinstance(item, Namespace):
            name = item.metadata.name
            labels[name] = {NAMESPACE_NAME_LABEL: name} | (item.metadata.labels or {})
    for name in used:
        labels.setdefault(name, {NAMESPACE_NAME_LABEL: name})
    return labels
