"""Strings to small integers and back: the only place where a name becomes a code."""

from collections.abc import Iterable, Iterator


class Vocabulary:
    """Codes for strings, given out in the order of their first appearance.

    Examples
    --------
    >>> zones = Vocabulary(["a", "b"])
    >>> zones.code("b"), zones.code("c"), zones.find("d")
    (1, 2, -1)
    >>> zones[2]
    'c'
    """

    __slots__ = ("_codes", "names")

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names: list[str] = list(dict.fromkeys(names))
        self._codes = {name: code for code, name in enumerate(self.names)}

    def code(self, name: str) -> int:
        """Code of ``name``, a new one if it was not seen before."""
        code = self._codes.get(name)
        if code is None:
            code = self._codes[name] = len(self.names)
            self.names.append(name)
        return code

    def find(self, name: str) -> int:
        """Code of ``name``, or -1 if it was never seen."""
        return self._codes.get(name, -1)

    def __getitem__(self, code: int) -> str:
        return self.names[code]

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)
