"""Arguments of InterPodAffinity."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InterPodAffinityArgs:
    """``InterPodAffinityArgs``.

    Attributes
    ----------
    hard_pod_affinity_weight : int
        What each required affinity term of an existing pod counts in the score of a pod that it matches; 0 to 100.
    ignore_preferred_terms_of_existing_pods : bool
        Pods without preferred terms of their own are not scored at all.
    """

    hard_pod_affinity_weight: int = 1
    ignore_preferred_terms_of_existing_pods: bool = False
