"""All candidates that a question names, with their prices."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from kplace.analysis.provision.candidate import Candidate, as_template, distinct
from kplace.analysis.provision.machines import BUILT_IN, Machine, read_machines, shape_candidates, zones_of
from kplace.analysis.provision.nodepools import nodepool_candidates
from kplace.analysis.provision.pools import pool_candidates
from kplace.analysis.provision.prices import Number, Prices, annotation_faults, prices_of
from kplace.api import Cluster
from kplace.api.hints import listed
from kplace.columns.cluster import Note
from kplace.errors import Fault, InputError, UsageError
from kplace.io.nodepools import read_nodepools
from kplace.io.read import read_builder

Sources = str | Path | Sequence[str | Path]


@dataclass(frozen=True, slots=True)
class Offer:
    """What may be added.

    Attributes
    ----------
    candidates : tuple of Candidate
    notes : tuple of Note
        What a user should know of them.
    """

    candidates: tuple[Candidate, ...]
    notes: tuple[Note, ...]


def candidates_of(  # noqa: PLR0913 - candidates come in many ways
    cluster: Cluster,
    *,
    nodes: Sources = (),
    pools: bool = False,
    shapes: Sources = (),
    nodepools: Sources = (),
    zones: Sequence[str] = (),
    prices: Mapping[str, Number] | str | Path | None = None,
    price: Mapping[str, Number] | None = None,
    rates: Mapping[str, Number] | None = None,
    before: Sequence[Fault] = (),
) -> Offer:
    """Gather the candidates; ``before`` are faults of other files, to be told with those found here.

    Raises
    ------
    InputError
        With every fault of every file, and of other prices.
    UsageError
        There are none, or a price is for none of them.
    """
    found: list[Candidate] = []
    notes: list[Note] = []
    faults = list(before)
    files = [nodes] if isinstance(nodes, str | Path) else list(nodes)
    if files:
        with gathering(faults):
            found += _manifests(files, notes)
    if pools:
        found += pool_candidates(cluster.columns)
        if not len(cluster.columns.nodes):
            msg = "pools: the cluster has no nodes that new ones could be like"
            raise UsageError(msg)
    tables = [shapes] if isinstance(shapes, str | Path) else list(shapes)
    karpenter = [nodepools] if isinstance(nodepools, str | Path) else list(nodepools)
    places = _places(cluster, zones)
    machines: list[Machine] = []
    before_tables = len(faults)
    with gathering(faults):
        machines += read_machines(tables or ([BUILT_IN] if karpenter else []))
    with gathering(faults):
        if karpenter and len(faults) > before_tables:
            read_nodepools(*karpenter)
        elif karpenter:
            found += nodepool_candidates(cluster.columns, karpenter, machines, places, notes)
        else:
            found += shape_candidates(machines, places)
    if not (files or pools or tables or karpenter):
        msg = "candidates: say what could be added: nodes, pools, shapes or nodepools"
        raise UsageError(msg)
    candidates = list(distinct(found))
    with_prices = [table for table in tables if str(table) != BUILT_IN]
    known = prices_of(candidates, prices=prices, price=price, rates=rates, tables=with_prices, before=faults)
    return _priced(candidates, known, notes)


@contextmanager
def gathering(faults: list[Fault]) -> Iterator[None]:
    """Within it, an `InputError` ends the block and leaves its faults, so that others can be told with them."""
    try:
        yield
    except InputError as error:
        faults += error.faults


def _places(cluster: Cluster, zones: Sequence[str]) -> dict[str, str]:
    """Zones where machines may be, with their regions: by default those of the cluster."""
    there = zones_of(cluster.columns.nodes)
    if not zones:
        return there
    regions = set(there.values())
    region = regions.pop() if len(regions) == 1 else ""
    return {zone: there.get(zone, region) for zone in ([zones] if isinstance(zones, str) else zones)}


def _manifests(files: Sequence[str | Path], notes: list[Note]) -> list[Candidate]:
    """One candidate for each node that files hold."""
    builder, _ = read_builder(*files)
    faults: list[Fault] = []
    with gathering(faults):
        builder.finish()
    faults += (fault for node, source in builder.nodes_with_files for fault in annotation_faults(node, source))
    if faults:
        raise InputError(faults)
    found = []
    for given in builder.nodes:
        node, passing = as_template(given)
        name = node.metadata.name
        if passing:
            keys = ", ".join(taint.key for taint in passing)
            notes.append(Note("passing-taints", f"{name}: taints that say how a node is doing are left out: {keys}"))
        found.append(Candidate(name, name, "node", node))
    if not found:
        msg = f"nodes: there is no Node in {', '.join(map(str, files))}"
        raise UsageError(msg)
    return found


def _priced(candidates: list[Candidate], prices: Prices, notes: list[Note]) -> Offer:
    """Candidates with what they cost; if nothing at all is known of prices, each costs 1."""
    costs = [prices.of(item) for item in candidates]
    if all(cost is None for cost in costs):
        notes.append(Note("no-prices", "no prices are known: every node costs 1, so that the fewest nodes are sought"))
        return Offer(tuple(replace(item, price=Fraction(1)) for item in candidates), tuple(notes))
    without = [item.name for item, cost in zip(candidates, costs, strict=True) if cost is None]
    if without:
        notes.append(Note("without-price", f"left out for want of a price: {listed(without)}"))
    priced = [replace(item, price=cost) for item, cost in zip(candidates, costs, strict=True) if cost is not None]
    return Offer(tuple(priced), tuple(notes))
