"""Label selectors, compiled: hashable, so that equal ones share their counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from kplace.objects.meta import LabelSelector


class Operator(IntEnum):
    """Operator of a requirement on a label."""

    IN = 0
    NOT_IN = 1
    EXISTS = 2
    DOES_NOT_EXIST = 3


OPERATORS = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
}


@dataclass(frozen=True, slots=True, order=True)
class Requirement:
    """One requirement on one label; ``values`` are sorted and without doubles."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether the labels meet this requirement; an absent label meets NotIn and DoesNotExist."""
        value = labels.get(self.key)
        if self.operator is Operator.IN:
            return value is not None and value in self.values
        if self.operator is Operator.NOT_IN:
            return value is None or value not in self.values
        return (value is not None) == (self.operator is Operator.EXISTS)


@dataclass(frozen=True, slots=True)
class Selector:
    """A compiled label selector: all requirements must be met.

    Attributes
    ----------
    requirements : tuple of Requirement
        Sorted, so that equal selectors compare equal.
    nothing : bool
        True for the selector of a missing (nil) ``labelSelector``: it matches no object at all.

    Examples
    --------
    >>> web = Selector.of_map({"app": "web"})
    >>> web.matches({"app": "web", "tier": "front"}), web.matches({})
    (True, False)
    >>> EVERYTHING.matches({}), NOTHING.matches({"app": "web"})
    (True, False)
    """

    requirements: tuple[Requirement, ...] = ()
    nothing: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether it selects everything, as ``{}`` does (upstream ``Selector.Empty()``)."""
        return not self.nothing and not self.requirements

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels is selected."""
        if self.nothing:
            return False
        return all(requirement.matches(labels) for requirement in self.requirements)

    def with_requirement(self, requirement: Requirement) -> "Selector":
        """Return the same selector with one more requirement; a nil selector stays nil."""
        if self.nothing:
            return self
        return Selector(tuple(sorted({*self.requirements, requirement})))

    @staticmethod
    def of_map(labels: Mapping[str, str]) -> "Selector":
        """Selector of a plain map, as a Service has it."""
        return Selector(tuple(sorted(Requirement(key, Operator.IN, (value,)) for key, value in labels.items())))


EVERYTHING = Selector()
NOTHING = Selector(nothing=True)


def compile_selector(selector: LabelSelector | None) -> Selector:
    """Compile a ``metav1.LabelSelector``: None selects nothing, ``{}`` everything.

    Mirrors upstream's ``LabelSelectorAsSelector``.
    """
    if selector is None:
        return NOTHING
    requirements = [Requirement(key, Operator.IN, (value,)) for key, value in (selector.match_labels or {}).items()]
    requirements += [
        Requirement(item.key, OPERATORS[item.operator], tuple(sorted(set(item.values or ()))))
        for item in selector.match_expressions or ()
    ]
    return Selector(tuple(sorted(set(requirements))))
