"""Which nodes a node selector matches, as boolean columns: ``nodeSelector``, node affinity terms, ``matchFields``.

A requirement on a label is settled for the distinct values of that label and then spread over the nodes by one gather.
The masks are kept with the nodes, so templates that share a requirement or a whole selector share the work.

Mirrors upstream's ``component-helpers/scheduling/corev1/nodeaffinity`` and ``labels.Requirement``.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from kplace.columns.nodes import NodeColumns
from kplace.dtypes import I64, NO_VALUE, Mask
from kplace.objects.core import PodSpec, PreferredSchedulingTerm
from kplace.objects.meta import NodeSelector, NodeSelectorTerm, SelectorRequirement

NAME_FIELD = "metadata.name"
"""The only field of a node that ``matchFields`` can tell apart; any other one is empty on every node."""

_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_MAX_NAME, _MAX_SUBDOMAIN = 63, 253
_INTEGER = re.compile(r"[+-]?[0-9]+")
_INT64 = np.iinfo(np.int64)


def required_node_affinity_mask(nodes: NodeColumns, spec: PodSpec) -> Mask:
    """Nodes that a pod's ``nodeSelector`` and its required node affinity both match.

    Parameters
    ----------
    nodes : NodeColumns
    spec : PodSpec

    Returns
    -------
    bool ndarray, shape (n_nodes,)
        All True if the pod has neither. Shared by all pods that ask the same: not to be modified.

    Notes
    -----
    Mirrors upstream's ``GetRequiredNodeAffinity(pod).Match(node)`` with its parse errors ignored. A required affinity
    without any term matches no node.
    """
    labels = spec.node_selector or {}
    affinity = spec.affinity.node_affinity if spec.affinity is not None else None
    required = affinity.required if affinity is not None else None

    def make() -> Mask:
        mask = label_map_mask(nodes, labels)
        return mask if required is None else mask & node_selector_mask(nodes, required)

    return nodes.derived(("required node affinity", frozenset(labels.items()), required), make)


def label_map_mask(nodes: NodeColumns, labels: Mapping[str, str]) -> Mask:
    """Nodes that carry every one of the labels, as ``spec.nodeSelector`` asks for; its text is not validated."""
    mask = np.ones(len(nodes), np.bool_)
    for key, value in labels.items():
        mask &= requirement_mask(nodes, SelectorRequirement(key, "In", (value,)))
    return mask


def node_selector_mask(nodes: NodeColumns, selector: NodeSelector) -> Mask:
    """Nodes that at least one term of a node selector matches; none if it has no terms."""
    mask = np.zeros(len(nodes), np.bool_)
    for term in selector.node_selector_terms or ():
        mask |= term_mask(nodes, term)
    return mask


def preferred_weights(nodes: NodeColumns, terms: Sequence[PreferredSchedulingTerm]) -> I64:
    """Sum of the weights of the preferred terms that match each node.

    Parameters
    ----------
    terms : sequence of PreferredSchedulingTerm
        Empty preferences and weights of 0 add nothing.

    Returns
    -------
    int64 ndarray, shape (n_nodes,)

    Notes
    -----
    Mirrors upstream's ``PreferredSchedulingTerms.Score``. The API server admits no malformed preference; here one adds
    nothing.
    """
    weights = np.zeros(len(nodes), np.int64)
    for item in terms:
        if item.weight and item.preference is not None:
            weights[term_mask(nodes, item.preference)] += item.weight
    return weights


def term_mask(nodes: NodeColumns, term: NodeSelectorTerm) -> Mask:
    """Nodes that meet all expressions and fields of a term; none if the term is empty or malformed."""
    expressions, fields = term.match_expressions or (), term.match_fields or ()
    if not (expressions or fields) or is_malformed(term):
        return np.zeros(len(nodes), np.bool_)
    mask = np.ones(len(nodes), np.bool_)
    for requirement in expressions:
        mask &= requirement_mask(nodes, requirement)
    for requirement in fields:
        mask &= _field_mask(nodes, requirement)
    return mask


def requirement_mask(nodes: NodeColumns, requirement: SelectorRequirement) -> Mask:
    """Nodes whose labels meet one well-formed requirement; shared, not to be modified.

    A node without the label meets NotIn and DoesNotExist only. Gt and Lt need a label that is an int64.
    """
    return nodes.derived(("label requirement", requirement), lambda: _requirement_mask(nodes, requirement))


def _requirement_mask(nodes: NodeColumns, requirement: SelectorRequirement) -> Mask:
    key, operator, wanted = requirement.key, requirement.operator, requirement.values or ()
    values = nodes.label_values(key)
    # The code of an absent label is -1, hence it reads the last entry.
    meets = np.full(len(values) + 1, operator in {"NotIn", "DoesNotExist"}, np.bool_)
    match operator:
        case "In" | "NotIn":
            codes = nodes.derived(("label codes", key), lambda: {value: code for code, value in enumerate(values)})
            meets[[codes[value] for value in wanted if value in codes]] = operator == "In"
        case "Exists" | "DoesNotExist":
            meets[:NO_VALUE] = operator == "Exists"
        case "Gt" | "Lt":
            bound, sign = int(wanted[0]), 1 if operator == "Gt" else -1
            numbers = map(parse_int64, values)
            meets[:NO_VALUE] = [number is not None and sign * number > sign * bound for number in numbers]
    return meets[nodes.label_codes(key)]


def _field_mask(nodes: NodeColumns, requirement: SelectorRequirement) -> Mask:
    """Nodes that meet a well-formed requirement on a field."""
    (value,) = requirement.values or ("",)
    if requirement.key == NAME_FIELD:
        equal = np.zeros(len(nodes), np.bool_)
        if value in nodes.index:
            equal[nodes.index[value]] = True
    else:
        equal = np.full(len(nodes), value == "", np.bool_)
    return equal if requirement.operator == "In" else ~equal


def is_malformed(term: NodeSelectorTerm) -> bool:
    """Whether upstream fails to parse a term, which then matches no node.

    Examples
    --------
    >>> by_name = SelectorRequirement("metadata.name", "In", ("a", "b"))
    >>> is_malformed(NodeSelectorTerm(match_fields=(by_name,)))
    True
    >>> is_malformed(NodeSelectorTerm(match_expressions=(SelectorRequirement("gen", "Gt", ("7",)),)))
    False
    """
    fields = term.match_fields or ()
    return any(item.operator not in {"In", "NotIn"} or len(item.values or ()) != 1 for item in fields) or any(
        _is_malformed_expression(item) for item in term.match_expressions or ()
    )


def _is_malformed_expression(requirement: SelectorRequirement) -> bool:
    values = requirement.values or ()
    match requirement.operator:
        case "In" | "NotIn":
            fits = len(values) > 0
        case "Exists" | "DoesNotExist":
            fits = not values
        case "Gt" | "Lt":
            fits = len(values) == 1 and parse_int64(values[0]) is not None
        case _:
            fits = False
    return not (fits and is_label_key(requirement.key) and all(map(is_label_value, values)))


def is_label_key(text: str) -> bool:
    """Whether a text may be a label's key: a name of at most 63 characters, after an optional DNS prefix and a slash.

    Examples
    --------
    >>> is_label_key("topology.kubernetes.io/zone"), is_label_key("a/b/c"), is_label_key("-zone")
    (True, False, False)
    """
    prefix, slash, name = text.rpartition("/")
    if slash and not (len(prefix) <= _MAX_SUBDOMAIN and _SUBDOMAIN.fullmatch(prefix)):
        return False
    return len(name) <= _MAX_NAME and _NAME.fullmatch(name) is not None


def is_label_value(text: str) -> bool:
    """Whether a text may be a label's value: empty, or a name of at most 63 characters.

    Examples
    --------
    >>> is_label_value("v1.2_a"), is_label_value(""), is_label_value("-5")
    (True, True, False)
    """
    return text == "" or (len(text) <= _MAX_NAME and _NAME.fullmatch(text) is not None)


def parse_int64(text: str) -> int | None:
    """Read an integer in base 10 as Go's ``strconv.ParseInt`` does; None if the text is none or does not fit int64.

    Examples
    --------
    >>> parse_int64("007"), parse_int64("1_000"), parse_int64("9223372036854775808")
    (7, None, None)
    """
    if not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if _INT64.min <= number <= _INT64.max else None
