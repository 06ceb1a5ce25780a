"""Everything kplace raises on purpose, as one tree under `KplaceError`."""

from collections.abc import Iterable
from dataclasses import dataclass


class KplaceError(Exception):
    """The base of all errors that kplace raises on purpose."""


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One thing that is wrong in an input, said so that a person can mend it.

    Attributes
    ----------
    source : str
        The file (or ``<stdin>``, ``<frame>``) that holds the fault.
    subject : str
        The object, as ``Kind namespace/name``; empty if the file as a whole is at fault.
    path : str
        The field's path inside the object, such as ``spec.containers[1].image``; empty if the object as a whole is.
    message : str
        What is wrong, and where it helps what would be right.

    Examples
    --------
    >>> str(Fault("pods.yaml", "Pod default/web", "spec.priority", "expected an integer, got a string"))
    'pods.yaml: Pod default/web: spec.priority: expected an integer, got a string'
    """

    source: str
    subject: str
    path: str
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.source, self.subject, self.path, self.message) if part)


class InputError(KplaceError):
    """An input cannot be used; holds every fault found in it, not just the first.

    Attributes
    ----------
    faults : tuple of Fault
        In the order of the input.
    """

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))


class UsageError(KplaceError):
    """An argument cannot be used; the message names it, what was expected and what was given."""


class OutputError(KplaceError):
    """A result cannot be written; the message begins with the path."""


class ConfigError(KplaceError):
    """A setting or a scheduler configuration cannot be used."""


class PluginError(KplaceError):
    """A plugin broke its contract (a score outside [0, 100], a mask of the wrong shape)."""


class PluginContractError(PluginError):
    """`kplace.testing.check_plugin` found that a plugin breaks its contract.

    Attributes
    ----------
    violations : tuple of str
        All that it found.
    """

    def __init__(self, plugin: str, violations: Iterable[str]) -> None:
        self.violations = tuple(violations)
        lines = [f"  {text}" for text in self.violations]
        super().__init__("\n".join([f"plugin {plugin} breaks its contract:", *lines]))


class AttemptError(KplaceError):
    """A scheduling attempt cannot go on: the pod's status is an error, not that it fits nowhere.

    Raised by plugins, with words that follow upstream's own, such as ``running PreScore plugin "X":``.

    Attributes
    ----------
    plugin : str
        Whose fault it is; empty as long as it is not known.
    """

    def __init__(self, message: str, plugin: str = "") -> None:
        self.plugin = plugin
        super().__init__(message)


class ExtenderError(AttemptError):
    """A call to an extender came to nothing; the message is kube-scheduler's, as far as it can be known."""
