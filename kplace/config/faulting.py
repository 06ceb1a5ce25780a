"""Faults for people: each error with its line, its path, and what may be meant."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from kplace.config.build import Problem
from kplace.config.document import Text
from kplace.config.fields import FieldError
from kplace.config.misfits import Misfit
from kplace.config.nodes import Node, TextError, line_of
from kplace.errors import Fault


@dataclass(slots=True)
class Faults:
    """Collects what is wrong with one text, each thing once.

    Attributes
    ----------
    source : str
        The file's name.
    text : Text
        The configuration in it.
    root : Node or None
        The parsed text, where lines are looked up.
    """

    source: str
    text: Text
    root: Node | None = None
    _found: dict[tuple[str, str], Fault] = field(default_factory=dict)

    @property
    def all(self) -> tuple[Fault, ...]:
        """All that was collected."""
        return tuple(self._found.values())

    def of_text(self, error: TextError) -> Fault:
        """Take up that the text cannot be parsed."""
        return self._add("", str(error), error.line)

    def of_misfit(self, misfit: Misfit) -> Fault:
        """Take up a value of the wrong type, or an unknown or repeated field."""
        return self._add(misfit.field, misfit.message, misfit.line)

    def of_field(self, error: FieldError) -> None:
        """Take up an error of validation."""
        self._add(error.field, _hinted(error.body, error.hint), self._line_of(error.field))

    def of_problem(self, problem: Problem) -> None:
        """Take up something that cannot be built, unless the field is known to be at fault already."""
        for error in problem.errors:
            self.of_field(error)
        if not problem.errors and not self._is_known(problem.path):
            self._add(problem.path, _hinted(problem.text, problem.hint), self._line_of(problem.path))

    def is_implied(self, error: FieldError, misfits: Iterable[Misfit]) -> bool:
        """Whether a field is only at fault because what stood in it, around it or below it was left out."""
        path = error.field
        return any(path.startswith(misfit.field) or misfit.field.startswith(path) for misfit in misfits)

    def _is_known(self, path: str) -> bool:
        return any(known == path for known, _ in self._found)

    def _line_of(self, path: str) -> int | None:
        return None if self.root is None else line_of(self.root, path)

    def _add(self, path: str, message: str, line: int | None) -> Fault:
        place = "" if line is None else f"line {line + self.text.offset}"
        if self.text.key and not self.text.offset:
            place = f"{self.text.key}: {place}" if place else self.text.key
        fault = Fault(self.source, place, path, message)
        return self._found.setdefault((path, message), fault)


def _hinted(text: str, hint: str) -> str:
    return f"{text}; {hint}" if hint else text


def without_source(fault: Fault) -> str:
    """A fault as a text that does not say which file it is in."""
    return ": ".join(part for part in (fault.subject, fault.path, fault.message) if part)
