"""How a configuration is read."""

from dataclasses import dataclass

from kplace.config.gates import FeatureGates


@dataclass(frozen=True, slots=True)
class Options:
    """How a configuration is read.

    Attributes
    ----------
    allow_unknown_plugins : bool
        Plugins that are not in-tree do nothing instead of being an error.
    read_as_v1 : bool
        A file of an older version is read as if it were v1.
    gates : FeatureGates
    """

    allow_unknown_plugins: bool = False
    read_as_v1: bool = False
    gates: FeatureGates = FeatureGates()  # noqa: RUF009 - it is frozen
