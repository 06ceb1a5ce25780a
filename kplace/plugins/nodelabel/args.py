"""Arguments of NodeLabel."""

from dataclasses import dataclass

from kplace.config.catalogue import ArgsSpec
from kplace.config.wire import TypeMeta


@dataclass(frozen=True, slots=True)
class NodeLabelArgs:
    """``NodeLabelArgs``: labels by their keys alone.

    Attributes
    ----------
    present_labels, absent_labels : tuple of str
        Those that a node must have, and must not have.
    present_labels_preference, absent_labels_preference : tuple of str
        Those that a node had better have, and had better not have.
    """

    present_labels: tuple[str, ...] = ()
    absent_labels: tuple[str, ...] = ()
    present_labels_preference: tuple[str, ...] = ()
    absent_labels_preference: tuple[str, ...] = ()


class NodeLabelWire(TypeMeta, frozen=True, kw_only=True):
    """``NodeLabelArgs`` as it stands in a file."""

    present_labels: tuple[str, ...] = ()
    absent_labels: tuple[str, ...] = ()
    present_labels_preference: tuple[str, ...] = ()
    absent_labels_preference: tuple[str, ...] = ()


def _build(args: NodeLabelWire) -> NodeLabelArgs:
    return NodeLabelArgs(
        args.present_labels, args.absent_labels, args.present_labels_preference, args.absent_labels_preference
    )


SPEC = ArgsSpec(NodeLabelWire, _build)
