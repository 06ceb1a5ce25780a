"""Which pods to try: ``NS`` or ``NS/SELECTOR`` with kubectl's label selectors."""

import re

import numpy as np

from kplace.columns import ClusterColumns
from kplace.columns.selectors import EVERYTHING, Operator, Requirement, Selector
from kplace.dtypes import I32
from kplace.errors import UsageError

_SYNTAX = 'expected NS or NS/SELECTOR such as "shop/app=web,tier!=back" or "*/app in (a,b)"'
_KEY = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?(?:/[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?"
_VALUE = r"[-A-Za-z0-9_.]*"
_SET = re.compile(rf"({_KEY})\s+(in|notin)\s*\(([^()]*)\)")
_EQUALITY = re.compile(rf"({_KEY})\s*(==|=|!=)\s*({_VALUE})")
_EXISTENCE = re.compile(rf"(!?)\s*({_KEY})")
_COMMA = re.compile(r",(?![^()]*\))")


def chosen_pods(columns: ClusterColumns, only: str) -> I32:
    """Pods that a text chooses.

    Parameters
    ----------
    only : str
        A namespace, or ``*`` for all, and after a slash a label selector.

    Raises
    ------
    UsageError
        It cannot be read, or the cluster has no pods in that namespace.
    """
    namespace, slash, text = only.partition("/")
    selector = parse_selector(text) if slash else EVERYTHING
    if not namespace:
        msg = f"only: {_SYNTAX}, got {only!r}"
        raise UsageError(msg)
    if namespace != "*" and columns.pods.namespaces.find(namespace) < 0:
        msg = f"only: there are no pods in a namespace {namespace!r}; there are some in {_listed(columns)}"
        raise UsageError(msg)
    chosen = np.array(
        [namespace in ("*", item.namespace) and selector.matches(item.labels) for item in columns.templates], np.bool_
    )
    return np.flatnonzero(chosen[columns.pods.template]).astype(np.int32)


def parse_selector(text: str) -> Selector:
    """Selector of a text as kubectl's ``--selector`` takes it.

    Raises
    ------
    UsageError
        With the part that cannot be read.

    Examples
    --------
    >>> front = parse_selector("app in (web, shop), tier!=back, !legacy")
    >>> front.matches({"app": "web"}), front.matches({"app": "web", "tier": "back"})
    (True, False)
    """
    if not text.strip():
        return EVERYTHING
    return Selector(tuple(sorted({_requirement(part.strip()) for part in _COMMA.split(text)})))


def _requirement(part: str) -> Requirement:
    if found := _SET.fullmatch(part):
        key, word, values = found.groups()
        operator = Operator.IN if word == "in" else Operator.NOT_IN
        return Requirement(key, operator, tuple(sorted({value.strip() for value in values.split(",")})))
    if found := _EQUALITY.fullmatch(part):
        key, sign, value = found.groups()
        return Requirement(key, Operator.NOT_IN if sign == "!=" else Operator.IN, (value,))
    if found := _EXISTENCE.fullmatch(part):
        return Requirement(found[2], Operator.DOES_NOT_EXIST if found[1] else Operator.EXISTS)
    expected = "key=value, key!=value, key in (a,b), key notin (a,b), key or !key"
    msg = f"only: expected a label requirement such as {expected}, got {part!r}"
    raise UsageError(msg)


def _listed(columns: ClusterColumns, most: int = 8) -> str:
    names = sorted(columns.pods.namespaces)
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
