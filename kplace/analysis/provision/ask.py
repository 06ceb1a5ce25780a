"""The question: which nodes to add, and how many, so that everything fits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Unpack

import numpy as np

from kplace.analysis.provision.bound import lower_bound
from kplace.analysis.provision.candidate import Candidate
from kplace.analysis.provision.catalogue import Catalogue, Enlarger, catalogue_of
from kplace.analysis.provision.daemons import daemon_pods, doubtful
from kplace.analysis.provision.demand import Demand, Opinions, Prober, demand_of, packing_of
from kplace.analysis.provision.prices import Number
from kplace.analysis.provision.prune import looks_and_amounts, pruned
from kplace.analysis.provision.result import Plan, Provision, ranked
from kplace.analysis.provision.search import Search, Tried
from kplace.analysis.provision.sources import candidates_of, gathering
from kplace.analysis.provision.wanted import wanted
from kplace.analysis.trial import Progress, Scheduling, Trial, waiting_rows
from kplace.api import Cluster
from kplace.api.hints import listed
from kplace.columns.cluster import Note
from kplace.dtypes import Mask, Status
from kplace.errors import Fault, UsageError

ROUGH = 12
"""Steps of improving the bound of a kind of node, by which kinds are put in order."""

Sources = str | Path | Sequence[str | Path]


def provision(  # noqa: PLR0913 - pods and candidates come in many ways
    cluster: Cluster,
    *,
    pods: Sources = (),
    like: str | Sequence[str] = (),
    copies: int = 1,
    waiting: bool = True,
    nodes: Sources = (),
    pools: bool = False,
    shapes: Sources = (),
    nodepools: Sources = (),
    zones: Sequence[str] = (),
    prices: Mapping[str, Number] | str | Path | None = None,
    price: Mapping[str, Number] | None = None,
    rates: Mapping[str, Number] | None = None,
    each: int = 10,
    effort: int = 100,
    progress: Progress | None = None,
    **scheduling: Unpack[Scheduling],
) -> Provision:
    """Say which nodes to add, and how many, so that pods that find no node get one; the cheapest plan comes first.

    All that waits is placed in the cluster as it stands, and stays where it fits. For the pods that are left, numbers
    of new nodes are tried: each time the scheduler places them for real. New nodes run the pods of their DaemonSets.

    Parameters
    ----------
    cluster : Cluster
    pods : path or sequence of paths
        Files with pods, or controllers with all their replicas, that have to fit as well.
    like : str or sequence of str
        ``NAMESPACE/NAME`` of workloads or pods of the cluster, of which more have to fit.
    copies : int
        How many of each pod of the files, and of each that is named.
    waiting : bool
        The pods that wait in the cluster have to fit as well. Otherwise they are left out.
    nodes : path or sequence of paths
        Candidates: files with Node manifests, each of which is a template.
    pools : bool
        Candidates: the kinds of nodes that the cluster has.
    shapes : path or sequence of paths
        Candidates: types of machines, one in each zone. CSV files with ``instance_type``, ``alloc:cpu`` and so on, or
        tables as `kplace.synth` takes them; ``"built-in"`` is kplace's own.
    nodepools : path or sequence of paths
        Candidates: NodePools of Karpenter, with the types of ``shapes`` (by default kplace's own) that their
        requirements allow, in each zone and of each capacity type.
    zones : sequence of str
        Where machines of ``shapes`` and ``nodepools`` may be; by default in the zones of the cluster.
    prices : mapping or path, optional
        What a node costs: by name of the node or instance type; or a CSV file with ``instance_type``, ``price``, and
        maybe ``zone`` and ``capacity_type``. A column ``price`` of ``shapes`` and an annotation ``kplace.io/price`` of
        a manifest say it too. Where nothing is known of any candidate, each costs 1.
    price : mapping, optional
        The same by name, where ``prices`` is a file: goes before it.
    rates : mapping, optional
        What a core, a GiB, one of any other resource costs, by resource: the price of what has none otherwise.
    each : int
        How many kinds of nodes get a plan of their own, those that promise most; the mix of all comes on top. Kinds
        that differ only in a topology domain such as the rack share the plan of the first.
    effort : int
        How many placings may go into making the mix cheaper; a quarter of it for a plan of one kind.
    progress : callable, optional
        Called after each plan.
    **scheduling
        As for `kplace.capacity`.

    Returns
    -------
    Provision
        `Provision.table` has the plans, `Plan.nodes` what each node takes, `Provision.pods` where each pod goes.

    Raises
    ------
    InputError
        With every fault of a file.
    UsageError
        There are no candidates, or an argument cannot be used.

    Notes
    -----
    Nobody is pushed out for others. A plan holds for the seed; with another one pods may fall otherwise.

    The lower bound is for nodes that let in the same pods as the plan, of which those count that no node of the cluster
    can take whatever is added: see `kplace.analysis.provision.bound.lower_bound`.

    Examples
    --------
    >>> import pandas as pd
    >>> nodes = pd.DataFrame({"node": ["a"], "cpu": [4], "instance_type": ["small"]})
    >>> pods = pd.DataFrame({"pod": ["web", "db", "job"], "cpu": ["3", "3", "3"], "node": ["a", None, None]})
    >>> found = provision(Cluster.from_frames(nodes, pods), pools=True, prices={"small": 0.1})
    >>> found.best.counts, found.best.cost, found.best.gap
    ({'small': 2}, 0.2, 0.0)
    """
    if each < 0 or effort < 0 or copies < 1:
        msg = "each, effort: expected numbers of 0 or more; copies: at least 1"
        raise UsageError(msg)
    trial = Trial.of(cluster, scheduling)
    faults: list[Fault] = []
    asked = cluster
    with gathering(faults):
        asked = wanted(cluster, trial.schedulers, pods=pods, like=like, copies=copies, waiting=waiting)
    offer = candidates_of(
        asked,
        nodes=nodes,
        pools=pools,
        shapes=shapes,
        nodepools=nodepools,
        zones=zones,
        prices=prices,
        price=price,
        rates=rates,
        before=faults,
    )
    view = trial.view_of(asked)
    placements = trial.placements(view, waiting_rows(view.columns))
    outcome = placements.columns
    daemons = daemon_pods(view.columns)
    columns, catalogue = catalogue_of(replace(placements.cluster.columns, sources=[]), offer.candidates, daemons)
    demand = demand_of(columns, outcome)
    kept, left_out = pruned(catalogue, columns, demand)
    task = _Task(view, trial, demand, catalogue.chosen(kept), effort, progress)
    plans = task.plans(each)
    notes = [*offer.notes, *_notes(doubtful(view.columns, daemons), left_out)]
    return Provision(
        before=view,
        fitted=int((outcome.status == Status.SCHEDULED).sum()),
        demand=demand,
        catalogue=task.catalogue,
        plans=plans,
        left_out=left_out,
        words=task.words(plans[0].tried),
        notes=tuple(notes),
    )


def _notes(doubts: Sequence[str], left_out: Sequence[tuple[Candidate, str]]) -> Iterator[Note]:
    if doubts:
        text = "counted on every new node that their pods tolerate, though not all such nodes here have one"
        yield Note("doubtful-daemons", f"DaemonSets that only their pods tell of: {listed(doubts)}: {text}")
    if left_out:
        number = len(left_out)
        verb = "candidate is" if number == 1 else "candidates are"
        text = f"{number:,} {verb} not tried: to the pods that wait another one is as good and costs no more"
        yield Note("left-out-candidates", text)


class _Task:
    """A question that is settled in all but its answer."""

    def __init__(
        self,
        before: Cluster,
        trial: Trial,
        demand: Demand,
        catalogue: Catalogue,
        effort: int,
        progress: Progress | None,
    ) -> None:
        self.catalogue = catalogue
        self._before = before
        self._trial = trial
        self._demand = demand
        self._effort = effort
        self._progress = progress
        self._enlarger = Enlarger(demand.columns, catalogue)
        self._prober = Prober(trial, self._enlarger, demand)
        nothing = (0,) * len(catalogue.candidates)
        nowhere = np.full(len(demand.pods), -1, np.int32)
        self._opinions: Opinions = self._prober.opinions(nothing, nowhere, demand.pods)
        self._packing = packing_of(trial, demand, catalogue, ~self._opinions.never)
        self._search = Search(trial, demand, self._enlarger, self._packing)

    def plans(self, each: int) -> tuple[Plan, ...]:
        """The best mix, and the best of one kind of node each."""
        every = np.ones(len(self.catalogue.candidates), np.bool_)
        found = []
        groups = self._groups(each)
        if len(self._demand.pods):
            for number, (name, usable) in enumerate(groups, 1):
                found.append((name, self._search.find(usable, self._effort // 4)))
                if self._progress is not None:
                    self._progress(number, len(groups) + 1)
            if len(groups) != 1 or not groups[0][1].all():
                found.append(("mix", self._search.find(every, self._effort)))
        else:
            found.append(("nothing", self._search.place(self._search.nothing)))
        return ranked([self._plan(name, tried) for name, tried in found])

    def _groups(self, each: int) -> list[tuple[str, Mask]]:
        """Candidates that differ only in the zone, those first that promise most; of alike groups the first."""
        names = list(dict.fromkeys(item.group for item in self.catalogue.candidates))
        looks = self._looks()
        promises: dict[frozenset[tuple[object, ...]], tuple[int, Fraction, list[str], Mask]] = {}
        for name in names:
            usable = np.array([item.group == name for item in self.catalogue.candidates], np.bool_)
            look = frozenset(looks[c] for c in np.flatnonzero(usable).tolist())
            reached = np.where((self._packing.fits & usable).any(axis=1), self._packing.demand, 0)
            if look in promises:
                promises[look][2].append(name)
            elif reached.sum():
                cost = lower_bound(self._packing.of(reached, usable), ROUGH).cost
                promises[look] = (-int(reached.sum()), cost, [name], usable)
        best = sorted(promises.values(), key=lambda item: item[:2])[:each]
        return [
            (alike[0] + (f" and {len(alike) - 1:,} alike" if alike[1:] else ""), usable) for _, _, alike, usable in best
        ]

    def _looks(self) -> list[tuple[object, ...]]:
        """For each candidate what tells it from others, with what filters say of a new node of it; equal if alike."""
        passes, fits = self._opinions.passes, self._packing.fits
        looks = looks_and_amounts(self.catalogue, self._demand.columns)
        return [(*look, passes[:, c].tobytes(), fits[:, c].tobytes()) for c, look in enumerate(looks)]

    def _plan(self, name: str, tried: Tried) -> Plan:
        return Plan(name, tried, self._at_least(tried), self.catalogue, self._demand, self._before)

    def _at_least(self, tried: Tried) -> Fraction:
        """No nodes that let in the pods of a plan cost less, as far as these need new nodes for certain."""
        pending = self._demand.counts(tried.pending)
        needed = np.where(self._opinions.elsewhere, 0, self._packing.demand - pending)
        return lower_bound(self._packing.of(needed)).cost

    def words(self, tried: Tried) -> dict[int, str]:
        """Why the pods that a plan does not let in stay pending, by pod."""
        if not len(tried.pending):
            return {}
        said = self._prober.words(tried.counts, tried.node, tried.pending)
        classes = self._demand.classes[np.isin(self._demand.pods, tried.pending)]
        return {pod: said[cls] for pod, cls in zip(tried.pending.tolist(), classes.tolist(), strict=True)}
