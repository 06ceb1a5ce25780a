"""Arguments of NodeAffinity."""

from dataclasses import dataclass

from kplace.columns.node_selectors import is_malformed
from kplace.errors import ConfigError
from kplace.objects.core import NodeAffinity
from kplace.objects.meta import NodeSelectorTerm


@dataclass(frozen=True, slots=True)
class NodeAffinityArgs:
    """``NodeAffinityArgs``.

    Attributes
    ----------
    added_affinity : NodeAffinity or None
        What every pod of the profile asks for and prefers, on top of its own.

    Raises
    ------
    ConfigError
        A term of it cannot be parsed; a pod's own such term would be let through and match nothing.
    """

    added_affinity: NodeAffinity | None = None

    def __post_init__(self) -> None:
        added = self.added_affinity or NodeAffinity()
        required = (added.required.node_selector_terms if added.required is not None else None) or ()
        preferred = tuple(item.preference or NodeSelectorTerm() for item in added.preferred or () if item.weight)
        for where, terms in (("required", required), ("preferred", preferred)):
            for position, term in enumerate(terms):
                if is_malformed(term):
                    field = f"{where}DuringSchedulingIgnoredDuringExecution"
                    msg = f"NodeAffinityArgs: addedAffinity.{field}: term {position} is malformed"
                    raise ConfigError(msg)
