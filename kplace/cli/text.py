"""Small things about words, which need no library."""


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    Examples
    --------
    >>> counted(1, "fault"), counted(12_000, "fault")
    ('1 fault', '12,000 faults')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def one_line(text: object) -> str:
    r"""Text without line breaks and control characters, which an input could smuggle into a terminal.

    Examples
    --------
    >>> one_line("a\n b\x1b[31m")
    'a b\\x1b[31m'
    """
    words = " ".join(str(text).split())
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in words)
