"""Outcomes on disk, so that a sweep that was interrupted goes on where it was."""

import hashlib
import json
import os
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kplace.analysis.tuning.outcome import Outcome
from kplace.columns import ClusterColumns
from kplace.errors import Fault, InputError
from kplace.io.atomic import writing

FORMAT = "kplace tune 1"
SECONDS = 5.0
"""How often the file is written anew while there is something to add."""


class Journal:
    """A file of outcomes: a line that says of what, and a line for each candidate.

    The file is replaced as a whole each time, so it is never half written.

    Parameters
    ----------
    path : path or None
        None keeps nothing.
    subject : str
        What the outcomes are of; those of another subject are refused.

    Raises
    ------
    InputError
        The file is there and is something else.
    """

    def __init__(self, path: str | os.PathLike[str] | None, subject: str) -> None:
        self._path = None if path is None else Path(path)
        self._subject = subject
        self._last = time.monotonic()
        self.outcomes: dict[str, Outcome] = {}
        if self._path is not None and self._path.exists():
            self._read(self._path)

    def add(self, key: str, outcome: Outcome) -> None:
        """Take up the outcome of a candidate."""
        self.outcomes[key] = outcome
        if time.monotonic() - self._last > SECONDS:
            self.write()

    def write(self) -> None:
        """Write all that is known.

        Raises
        ------
        OutputError
            It cannot be written.
        """
        self._last = time.monotonic()
        if self._path is None:
            return
        lines: list[dict[str, Any]] = [{"format": FORMAT, "subject": self._subject}]
        lines += [{"candidate": key, **asdict(outcome)} for key, outcome in self.outcomes.items()]
        with writing(self._path) as file:
            file.write("".join(json.dumps(line) + "\n" for line in lines).encode())

    def _read(self, path: Path) -> None:
        try:
            head, *lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            if head.get("format") != FORMAT:
                raise ValueError
            found = {line.pop("candidate"): Outcome(**line) for line in lines}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            message = f"expected what kplace tune --journal has written ({FORMAT!r}), or no file"
            raise InputError([Fault(str(path), "", "", message)]) from error
        if head.get("subject") != self._subject:
            message = "holds outcomes of another cluster, seed or configuration; name another file"
            raise InputError([Fault(str(path), "", "", message)])
        self.outcomes = found


def subject_of(columns: ClusterColumns, *settings: object) -> str:
    """Hash of what the outcomes depend on beside the candidate: the cluster and the settings."""
    digest = hashlib.sha256(repr(settings).encode())
    nodes, pods = columns.nodes, columns.pods
    for texts in (nodes.names, pods.names):
        digest.update("\0".join(texts).encode())
    for array in (nodes.allocatable, nodes.taint_set, pods.node, pods.template, pods.priority):
        digest.update(array.tobytes())
    digest.update(repr(nodes.taint_sets).encode())
    for key in nodes.labels:
        digest.update(repr((key, nodes.label_values(key))).encode() + nodes.label_codes(key).tobytes())
    for template in columns.templates:
        digest.update(repr((template.namespace, template.labels, template.spec)).encode())
    return digest.hexdigest()[:24]
