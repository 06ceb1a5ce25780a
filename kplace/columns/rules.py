"""What a release of Kubernetes makes of a pod before anybody schedules it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PodRules:
    """Rules that changed between releases; the defaults are v1.34's.

    Attributes
    ----------
    pod_level : bool
        Requests of the pod as a whole (``spec.resources``) take the place of its containers' sum.
    resizes : bool
        A pod on a node requests what it was given while a resize is under way, if that is more than its spec says.
    sidecars_score : bool
        Sidecars count beside containers in what a pod on a node adds to the sums that NodeResourcesFit scores.
    affinity_label_keys : bool
        ``matchLabelKeys`` and ``mismatchLabelKeys`` of pod affinity terms are merged into their selectors.
    """

    pod_level: bool = True
    resizes: bool = True
    sidecars_score: bool = True
    affinity_label_keys: bool = True


TODAY = PodRules()
"""v1.34's."""
