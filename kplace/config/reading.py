"""What came of reading a configuration: a usable one, what kube-scheduler would say, and what to tell a person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from kplace.config.build import Built
from kplace.config.defaults import Defaulted
from kplace.config.fields import FieldError
from kplace.config.resolved import Configuration
from kplace.errors import ConfigError, Fault


class Stage(StrEnum):
    """A stage in which a configuration can fail."""

    DECODE = "decode"
    DECODE_STRICT = "decodeStrict"
    VALIDATE = "validate"
    BUILD = "build"
    LEADER_ELECTOR = "leaderElector"

    @property
    def public(self) -> str:
        """As ``failedStage`` names it: what the strict decoder collects is of the stage decode too."""
        return Stage.DECODE.value if self is Stage.DECODE_STRICT else self.value


@dataclass(frozen=True, slots=True)
class StageError:
    """One error of a stage.

    Attributes
    ----------
    stage : Stage
    text : str
        In upstream's words, but for the stage decode, whose own speak of the Go language.
    field : FieldError, optional
        Of the stage validate.
    """

    stage: Stage
    text: str
    field: FieldError | None = None


class ConfigurationError(ConfigError):
    """A configuration cannot be used, or several.

    Attributes
    ----------
    faults : tuple of Fault
        Everything that is wrong with it, in all stages.
    """

    def __init__(self, source: str, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        number = f"{len(faults)} fault{'' if len(faults) == 1 else 's'}"
        super().__init__("\n".join([*map(str, faults), f"{number} in the configuration {source}"]))


def require_all(readings: Sequence["Reading"]) -> list[Configuration]:
    """What several readings came to.

    Raises
    ------
    ConfigurationError
        Some of them cannot be used; it has the faults of all.
    """
    refused = {reading.source: reading for reading in readings if reading.configuration is None}
    if refused:
        faults = tuple(fault for reading in refused.values() for fault in reading.faults)
        raise ConfigurationError(" and the configuration ".join(refused), faults)
    return [reading.require() for reading in readings]


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of reading a configuration.

    Attributes
    ----------
    source : str
        The file's name.
    errors : tuple of StageError
        Those of the stage in which kube-scheduler 1.34 fails; empty if it would start.
    later_errors : tuple of StageError
        What later stages would have said.
    faults : tuple of Fault
        For people, everything that keeps kplace from using it: every fault with its line, its path and what may be
        meant. Empty if kplace can use it.
    configuration : Configuration or None
        None if kplace cannot use it.
    api_version : str
        Empty if it could not be decoded.
    note : str
        On the rest of what is known.
    read_as : str
        The older version or the kind by whose rules it was read.
    defaulted, built
        What the stages left; None if they were not reached.
    unknown_plugins : tuple of str
        Enabled plugins that are not in-tree, sorted.
    stand_ins : mapping of str to str
        The unknown plugins that were let through, and what they do.
    """

    source: str
    errors: tuple[StageError, ...] = ()
    later_errors: tuple[StageError, ...] = ()
    faults: tuple[Fault, ...] = ()
    configuration: Configuration | None = None
    api_version: str = ""
    note: str = ""
    read_as: str = ""
    defaulted: Defaulted | None = None
    built: Built | None = None
    unknown_plugins: tuple[str, ...] = ()
    stand_ins: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether kube-scheduler 1.34 would start with it."""
        return not self.errors

    def require(self) -> Configuration:
        """The configuration.

        Raises
        ------
        ConfigurationError
            It cannot be used.
        """
        if self.configuration is None:
            raise ConfigurationError(self.source, self.faults)
        return self.configuration
