"""Feature gates that change what a configuration means."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kplace.config.misfits import suggestion
from kplace.errors import ConfigError

DYNAMIC_RESOURCE_ALLOCATION = "DynamicResourceAllocation"
DRA_SCHEDULER_FILTER_TIMEOUT = "DRASchedulerFilterTimeout"
STORAGE_CAPACITY_SCORING = "StorageCapacityScoring"

DEFAULTS = {
    DYNAMIC_RESOURCE_ALLOCATION: True,
    DRA_SCHEDULER_FILTER_TIMEOUT: True,
    STORAGE_CAPACITY_SCORING: False,
}
"""The gates that matter here, as v1.34 has them."""

_BOOLEANS = {
    **dict.fromkeys(("1", "t", "T", "true", "True", "TRUE"), True),
    **dict.fromkeys(("0", "f", "F", "false", "False", "FALSE"), False),
}
_FORM = "expected NAME=true or NAME=false"


@dataclass(frozen=True, slots=True)
class FeatureGates:
    """Which gates are on.

    Attributes
    ----------
    changed : mapping of str to bool
        Those that are not left at their default.

    Examples
    --------
    >>> gates = parse_feature_gates("StorageCapacityScoring=true")
    >>> gates.is_on("StorageCapacityScoring"), gates.is_on("DynamicResourceAllocation")
    (True, True)
    """

    changed: Mapping[str, bool] = field(default_factory=dict)

    def is_on(self, gate: str) -> bool:
        """Whether a gate is on."""
        return self.changed.get(gate, DEFAULTS[gate])

    def __or__(self, other: "FeatureGates") -> "FeatureGates":
        """These gates, but for those that the other ones change."""
        return FeatureGates({**self.changed, **other.changed})


def parse_feature_gates(text: str) -> FeatureGates:
    """Read gates as kube-scheduler's ``--feature-gates`` takes them: ``A=true,B=false``.

    Raises
    ------
    ConfigError
        A gate is unknown here, or its value is not a boolean.
    """
    changed = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if name not in DEFAULTS:
            meant = suggestion(name, DEFAULTS) or f"; kplace knows {', '.join(DEFAULTS)}"
            form = "" if equals else f"; {_FORM}"
            msg = f'feature gates: unknown gate "{name}"{meant}{form}'
            raise ConfigError(msg)
        if not equals:
            msg = f'feature gates: {_FORM}, got "{name}"'
            raise ConfigError(msg)
        if value not in _BOOLEANS:
            msg = f'feature gates: {name}: expected true or false, got "{value}"'
            raise ConfigError(msg)
        changed[name] = _BOOLEANS[value]
    return FeatureGates(changed)
