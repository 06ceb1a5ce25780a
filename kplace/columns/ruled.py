"""A cluster's pods by the rules of another release."""

from dataclasses import replace

import numpy as np
from msgspec import structs

from kplace.columns.cluster import ClusterColumns
from kplace.columns.resources import PodRequests, pod_requests, request_vector
from kplace.columns.rules import PodRules
from kplace.columns.templates import Template
from kplace.columns.vocab import Vocabulary
from kplace.objects.defaulting import merged_affinity


def under_rules(columns: ClusterColumns, rules: PodRules) -> ClusterColumns:
    """Build the same cluster with what its pods request and ask for by the rules of a release.

    Only templates that the rules concern are made anew; what they were by other rules before does not matter.

    Parameters
    ----------
    columns : ClusterColumns
        Not modified.
    rules : PodRules

    Returns
    -------
    ClusterColumns
        The very one that was given if nothing changes.
    """
    templates = [_under_rules(item, columns.resources, rules) for item in columns.templates]
    if all(new is old for new, old in zip(templates, columns.templates, strict=True)):
        return columns
    return replace(columns, templates=templates)


def _under_rules(template: Template, resources: Vocabulary, rules: PodRules) -> Template:
    new = _with_affinity(template, rules)
    spec = new.spec
    sidecars = any(item.restart_policy == "Always" for item in spec.init_containers or ())
    if spec.resources is None and template.resize is None and not sidecars:
        return new
    requests = pod_requests(spec, template.resize, rules)
    return new if _agree(new, requests, resources) else _with_requests(new, requests, resources)


def _with_affinity(template: Template, rules: PodRules) -> Template:
    given = template.keyed_affinity
    if given is None:
        return template
    affinity = merged_affinity(given, template.labels) if rules.affinity_label_keys else given
    if affinity == template.spec.affinity:
        return template
    return replace(template, spec=structs.replace(template.spec, affinity=affinity))


def _agree(template: Template, requests: PodRequests, resources: Vocabulary) -> bool:
    return (
        np.array_equal(template.request, request_vector(requests.plain, resources))
        and np.array_equal(template.non_zero_request, requests.non_zero)
        and np.array_equal(template.scored_request, request_vector(requests.scored, resources))
    )


def _with_requests(template: Template, requests: PodRequests, resources: Vocabulary) -> Template:
    return replace(
        template,
        request=request_vector(requests.plain, resources),
        non_zero_request=np.array(requests.non_zero, np.int64),
        scored_request=request_vector(requests.scored, resources),
    )
