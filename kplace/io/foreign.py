"""What people give as a cluster that is none: results of kplace, and what kubectl prints for reading."""

import re

ROWS = (
    "holds result rows of kplace, not a cluster: "
    "`kplace place ... --out DIR/` (or --out FILE.yaml) writes the cluster after a run"
)
_TRACE = "holds a trace of kplace, not a cluster"
_TABLE = "is what kubectl prints for reading: it takes `kubectl get ... -o json` (or -o yaml)"
_NAMES = "holds names only: it takes `kubectl get ... -o json` (or -o yaml)"
_PARQUET = b"PAR1"
_PARQUET_MARK = b"kplace.nodes"
_SNAPSHOT_MARK = b"kplace.snapshot"
_HEAD = 1 << 12

_BEGINNINGS = (
    (re.compile(rb'\{\s*"kplace"\s*:|namespace,pod,|node,verdict,|\[\s*\{\s*"node"\s*:[^{]*"verdict"\s*:'), ROWS),
    (re.compile(rb'\{\s*"nodeOrder"\s*:'), _TRACE),
    # kubectl get, kubectl top; kubectl describe; kubectl get -o name.
    (re.compile(rb"(?:NAMESPACE\s+)?NAME(?: {2,}|\t+)[A-Z]|(?:NAMESPACE\s+)?NAME\s*\n"), _TABLE),
    (re.compile(rb"Name:[ \t]+\S.*\n(?:Namespace|Roles|Labels|Annotations|Selector|Priority):"), _TABLE),
    (re.compile(rb"(?:pod|node|service|namespace|[a-z]+\.[a-z.]+)/[a-z0-9.-]+\s*(?:\n|$)"), _NAMES),
)


def what_else(data: bytes | bytearray) -> str:
    r"""Say what a text is, if it is something well known that is no cluster; empty otherwise.

    Parameters
    ----------
    data : bytes or bytearray
        All of the file.

    Examples
    --------
    >>> what_else(b"NAME   READY   STATUS\nweb    1/1     Running\n")
    'is what kubectl prints for reading: it takes `kubectl get ... -o json` (or -o yaml)'
    >>> what_else(b"kind: Pod")
    ''
    """
    if data.startswith(_PARQUET):
        if _SNAPSHOT_MARK in data:
            return "is a part of a snapshot of kplace: give the whole folder"
        return ROWS if _PARQUET_MARK in data else "is a Parquet file: Kubernetes objects are read as JSON or YAML"
    head = bytes(data[:_HEAD]).lstrip()
    return next((message for beginning, message in _BEGINNINGS if beginning.match(head)), "")
