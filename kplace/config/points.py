"""The extension points by the names that configurations give them."""

from enum import StrEnum

MULTI_POINT = "multiPoint"
"""The plugin set that stands for all extension points at once."""


class ExtensionPoint(StrEnum):
    """An extension point; its value is the field's name under ``plugins``.

    Examples
    --------
    >>> ExtensionPoint("preFilter").interface, ExtensionPoint.PRE_FILTER.attribute
    ('PreFilterPlugin', 'pre_filter')
    """

    PRE_ENQUEUE = "preEnqueue"
    QUEUE_SORT = "queueSort"
    PRE_FILTER = "preFilter"
    FILTER = "filter"
    POST_FILTER = "postFilter"
    PRE_SCORE = "preScore"
    SCORE = "score"
    RESERVE = "reserve"
    PERMIT = "permit"
    PRE_BIND = "preBind"
    BIND = "bind"
    POST_BIND = "postBind"

    @property
    def interface(self) -> str:
        """Upstream's name for what a plugin must be to run here."""
        return f"{self.value[0].upper()}{self.value[1:]}Plugin"

    @property
    def attribute(self) -> str:
        """The point in snake case."""
        return self.name.lower()


BUILD_ORDER = (
    ExtensionPoint.PRE_FILTER,
    ExtensionPoint.FILTER,
    ExtensionPoint.POST_FILTER,
    ExtensionPoint.RESERVE,
    ExtensionPoint.PRE_SCORE,
    ExtensionPoint.SCORE,
    ExtensionPoint.PRE_BIND,
    ExtensionPoint.BIND,
    ExtensionPoint.POST_BIND,
    ExtensionPoint.PERMIT,
    ExtensionPoint.PRE_ENQUEUE,
    ExtensionPoint.QUEUE_SORT,
)
"""The order in which the scheduler fills its points when a profile is built: it decides which error comes first."""
