"""``kplace.redact``: a cluster that can be shown to others."""

import secrets

from kplace.api.cluster import Case, Cluster
from kplace.io.redact import Redactor
from kplace.io.report import input_notes
from kplace.objects.defaulting import DEFAULT_SCHEDULER


def redact(cluster: Cluster, *, key: str | None = None) -> Cluster:
    """Hash every name, label value and image of a cluster; pods are placed as before.

    Parameters
    ----------
    cluster : Cluster
        Not modified. Settings of a golden case are redacted with it.
    key : str, optional
        The same key gives the same hashes, for dumps that have to go together. By default a new random one, which
        nobody has, so that nobody can find out what a hash stands for by trying names.

    Returns
    -------
    Cluster
        Equal things have equal hashes wherever they are named: in selectors, terms, taints, owners, claims and fields.
        Kept as they are: keys of labels and resources of public domains (``kubernetes.io`` and the like), numbers that
        ``Gt`` or ``Lt`` compares, the prefix of a resource, whether an image has a tag, times and quantities.
        Only what placing depends on comes through at all: no commands, no environment, no other annotations.

    Examples
    --------
    >>> import kplace
    >>> cluster = kplace.synth("small")
    >>> hidden = redact(cluster)
    >>> kplace.place(hidden).result_hash == kplace.place(cluster).result_hash
    True
    """
    config = None if cluster.case is None else cluster.case.config
    redactor = Redactor(cluster.columns, (key or secrets.token_hex()).encode(), config)
    columns = redactor.columns()
    columns.notes.extend(input_notes(columns, [DEFAULT_SCHEDULER]))
    case = None if cluster.case is None else Case(redactor.config(), cluster.case.preempt)
    return Cluster(columns, case)
