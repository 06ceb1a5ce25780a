"""Which pods to try: ``NS`` or ``NS/SELECTOR`` with kubectl's label selectors."""

import re

import numpy as np

from kplace.api.hints import close_names, did_you_mean, listed
from kplace.columns import ClusterColumns
from kplace.columns.selectors import EVERYTHING, Operator, Requirement, Selector
from kplace.dtypes import I32
from kplace.errors import UsageError

_SYNTAX = 'expected NS or NS/SELECTOR such as "shop/app=web,tier!=back" or "*/app in (a,b)"'
_NAMESPACE = re.compile(r"\*|[^\s*=!(),]+")
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
        It cannot be read, or no waiting pod is among those it chooses: whoever asks for some pods and misspells them
        must not be told that all is well with them.
    """
    namespace, slash, text = only.partition("/")
    selector = parse_selector(text) if slash else EVERYTHING
    if not _NAMESPACE.fullmatch(namespace):
        meant = "" if slash or not namespace else did_you_mean([repr(f"*/{only}")])
        msg = f"only: {_SYNTAX}, got {only!r}{meant}"
        raise UsageError(msg)
    chosen = np.array(
        [namespace in ("*", item.namespace) and selector.matches(item.labels) for item in columns.templates], np.bool_
    )
    found = np.flatnonzero(chosen[columns.pods.template]).astype(np.int32)
    if not columns.pods.waiting[found].any():
        msg = f"only: {_why_none(columns, namespace, selector, only, len(found))}"
        raise UsageError(msg)
    return found


def _why_none(columns: ClusterColumns, namespace: str, selector: Selector, only: str, n_found: int) -> str:
    """Why no waiting pod is chosen, and what there is to choose from."""
    waiting = [columns.templates[code] for code in np.unique(columns.pods.template[columns.pods.waiting]).tolist()]
    if not waiting:
        return "no pod is waiting to be placed in this input"
    namespaces = sorted({item.namespace for item in waiting})
    if namespace != "*" and namespace not in namespaces:
        meant = did_you_mean(close_names(namespace, namespaces))
        what = "waiting pods" if columns.pods.namespaces.find(namespace) >= 0 else "pods"
        return f"there are no {what} in the namespace {namespace!r}; some are waiting in {listed(namespaces)}{meant}"
    if n_found:
        some = "the only pod" if n_found == 1 else f"none of the {n_found:,} pods"
        return f"{some} that {only!r} chooses is {'not ' if n_found == 1 else ''}waiting to be placed"
    there = [item.labels for item in waiting if namespace in ("*", item.namespace)]
    where = "" if namespace == "*" else f" in the namespace {namespace!r}"
    for requirement in selector.requirements:
        if not any(map(requirement.matches, there)):
            return f"no waiting pod{where} has {_text(requirement)!r}{_instead(requirement, there)}"
    return f"no waiting pod{where} has all that {only!r} asks for"


def _instead(requirement: Requirement, there: list[dict[str, str]]) -> str:
    """What a requirement that nothing meets could have named."""
    key = requirement.key
    values = sorted({labels[key] for labels in there if key in labels})
    if not values:
        keys = sorted({key for labels in there for key in labels})
        known = f"their labels are {listed(keys)}" if keys else "they have no labels"
        return f"; {known}{did_you_mean(close_names(key, keys))}"
    meant = [close for value in requirement.values for close in close_names(value, values)]
    return f"; {key} is {listed(values)} there{did_you_mean(meant) if requirement.operator is Operator.IN else ''}"


def _text(requirement: Requirement) -> str:
    key, values = requirement.key, requirement.values
    match requirement.operator:
        case Operator.EXISTS:
            return key
        case Operator.DOES_NOT_EXIST:
            return f"!{key}"
    is_in = requirement.operator is Operator.IN
    if len(values) == 1:
        return f"{key}{'=' if is_in else '!='}{values[0]}"
    return f"{key} {'in' if is_in else 'notin'} ({','.join(values)})"


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
