"""The extenders of a run: who of a configuration's is asked, and what is to be said of the calls."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kplace.api.arguments import one_of
from kplace.columns import Note
from kplace.config import Configuration

if TYPE_CHECKING:
    from kplace.io.extenders import HTTPExtender

CALL, ASK, OFF = EXTENDERS = ("call", "ask", "off")
"""What a run does about extenders: call them as configured; all the same but bind nothing; call none."""

TOPIC = "extenders"
"""Topic of the notes on extenders."""


def extenders_of(configuration: Configuration, extenders: str, *, mend_scores: bool) -> "tuple[HTTPExtender, ...]":
    """Extenders that a run asks.

    Parameters
    ----------
    extenders : {"call", "ask", "off"}
    mend_scores : bool
        Nodes that come back as objects are scored as they are, and not as if idle.

    Raises
    ------
    UsageError
        There is no such word.
    ConfigError
        TLS settings cannot be used.
    """
    one_of("extenders", extenders, EXTENDERS)
    if extenders == OFF or not configuration.extenders:
        return ()
    from kplace.io.extenders import make_extenders

    return make_extenders(configuration.extenders, binds=extenders == CALL, bare_nodes=not mend_scores)


@contextmanager
def closing(extenders: "Sequence[HTTPExtender]") -> Iterator[None]:
    """Let go of the connections when the run is over."""
    try:
        yield
    finally:
        for extender in extenders:
            extender.close()


def notes_before(configuration: Configuration, extenders: "Sequence[HTTPExtender]") -> Iterator[Note]:
    """What is to be said of extenders before they are asked: who is not, and who binds."""
    if configuration.extenders and not extenders:
        yield Note(TOPIC, f"extenders are not asked: {', '.join(item.url_prefix for item in configuration.extenders)}")
    for extender in extenders:
        if extender.binds:
            yield Note(TOPIC, f"extender {extender.name} is asked to bind pods; what it binds stays bound")


def notes_after(extenders: "Sequence[HTTPExtender]") -> Iterator[Note]:
    """What is to be said of calls that came to nothing."""
    for extender in extenders:
        for verb, calls in extender.calls.items():
            if calls.failed:
                yield Note(
                    TOPIC,
                    f"extender {extender.name}: {calls.failed:,} of {calls.number:,} {verb} calls came to nothing"
                    f"{_consequence(extender, verb)}; the first one: {calls.first_error}",
                )


def _consequence(extender: "HTTPExtender", verb: str) -> str:
    if verb == "prioritize":
        return ", and nodes were chosen without its scores"
    return " and were passed over" if extender.is_ignorable else ""
