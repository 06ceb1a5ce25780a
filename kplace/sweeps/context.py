"""What all runs of a study share, as workers get it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kplace.sweeps.description import Load, WhatIf

CONTEXT = "context"
"""Name of the part of a bundle that holds it."""
INPUT = "input/"
"""Prefix of the names of those that hold clusters."""

Document = Mapping[str, Any] | str | None
"""A configuration as plain values, the name of an algorithm provider, or None for none."""


@dataclass(frozen=True, slots=True)
class Context:
    """What runs need beside their parameters.

    Attributes
    ----------
    documents : mapping of str to Document
        Configurations by name.
    what_if : mapping of str to WhatIf
    load : Load
    plugins : tuple of str
    extenders : str
    metrics, frames : tuple of str
        What to keep.
    """

    documents: Mapping[str, Document]
    what_if: Mapping[str, WhatIf]
    load: Load
    plugins: tuple[str, ...]
    extenders: str
    metrics: tuple[str, ...]
    frames: tuple[str, ...]
