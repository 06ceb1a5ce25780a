"""Insisting that what is explained is all there is."""

from collections.abc import Iterable


def insist(missing: Iterable[str], where: str, what: str = "does not explain") -> None:
    """Give up if anything is missing.

    Raises
    ------
    SystemExit
    """
    names = ", ".join(sorted(missing))
    if names:
        message = f"tools/reference/{where} {what}: {names}"
        raise SystemExit(message)
