"""kube-versions.md: what each release of Kubernetes decides otherwise, from the table of versions."""

from kplace.config.versions import CHANGES, DEFAULT_VERSION, MAJOR, VERSIONS, Change
from reference.markdown import code, page, plain, table

INTRODUCTION = f"""
`--kube-version 1.N` lets `place`, `explain` and `simulate` decide as that release of Kubernetes does, from
{VERSIONS[0]} to {VERSIONS[-1]}; in Python it is the argument `kube_version`. Without it, it is {DEFAULT_VERSION}, the
release that the golden cases are of. A release stands for its first version, 1.N.0, with the feature gates that are
on by default; changes that were carried back into later patch releases are named in the last column.

Each row says what the scheduler did before a release and what it does since. These are all that kplace knows: no part
of it asks for a version but through this table.
"""

SAME = """
## The same in all of them

- `nodeAffinityPolicy` and `nodeTaintsPolicy` of topology spread constraints are looked at, and so are their
  `matchLabelKeys` and `minDomains`.
- Scheduling gates keep pods out of the queue.
- The default profile has the same plugins with the same weights, but for DynamicResources and the limits of disks.
- The draw among equally good nodes is [kplace's own](../explanation/why.md#ties-and-seeds).
"""

LEFT_OUT = """
## What is not followed

Kubernetes changed these, too, and kplace does as 1.34 in all versions.

- How a configuration is read. A file of an older version is read by the rules of that version, whatever the release
  that is simulated; of the feature gates that change what it means, those of the release hold. A `Configuration` that
  Python code has read before keeps the gates it was read with.
- The limits of disks by EBSLimits, GCEPDLimits and AzureDiskLimits, which were in the default profile up to 1.30; a
  configuration of an older version that names them has them.
- VolumeAttachments count as attached volumes in all versions, and a claim's `volumeAttributesClassName` has to be the
  volume's.
- The words for nodes outside those that a PreFilter narrows the search to (a pod that names its nodes), and which
  nodes then count as tried: they changed with patch releases of 1.29 to 1.32.
- Which events a plugin registers for. Before 1.32 they were more general for some.
- Batches of equal pods (OpportunisticBatching, 1.35): the order of draws may differ, not the scores.
- What nodes declare of their features (NodeDeclaredFeatures, 1.36), groups of pods that are placed together, scores by
  devices of resource claims, and resizing pods as a whole (1.36).
- Changes to `status.nominatedNodeName` beyond preemption.
- Releases after 1.35 are known by the changes that were announced and merged, not by their sources.
"""


def make() -> str:
    """The page."""
    head = ("from", "where", "before", "since", "reference", "also in")
    return page("Versions of Kubernetes", INTRODUCTION, table(head, map(row, CHANGES)), SAME, LEFT_OUT)


def row(change: Change) -> tuple[str, ...]:
    """A row of the table."""
    where = code(change.area) if change.area[0].isupper() else change.area
    texts = (plain_but_code(text) for text in (change.before, change.after))
    return (f"{MAJOR}.{change.since}", where, *texts, link(change.reference), change.carried_back)


def plain_but_code(text: str) -> str:
    """Text whose stars and underscores mark nothing, but for what stands as code."""
    parts = text.split("`")
    return "`".join(part if number % 2 else plain(part) for number, part in enumerate(parts))


def link(reference: str) -> str:
    """Where to read of a change.

    Examples
    --------
    >>> link("KEP-2837"), link("kubernetes/kubernetes#123366")
    ('[KEP-2837](https://kep.k8s.io/2837)', '[#123366](https://github.com/kubernetes/kubernetes/pull/123366)')
    """
    kind, _, number = reference.replace("KEP-", "KEP#").partition("#")
    if kind == "KEP":
        return f"[{reference}](https://kep.k8s.io/{number})"
    return f"[#{number}](https://github.com/{kind}/pull/{number})"
