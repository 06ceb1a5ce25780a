"""The apps of a synthetic cluster: how many, how large, what each requests, when it comes."""

from dataclasses import dataclass

import numpy as np

from kplace.dtypes import F64, I64
from kplace.synthesis.description import Arrival, Quantity, Workload
from kplace.synthesis.draws import WHOLE, drawn, stream, unit_of, weighted

WEIGHT, REPLICAS = "weight", "replicas"
"""What a bundle may hold beside resources."""

_SECOND = 10**9
_DAY = 86_400.0
_FIRST_BATCH, _LARGEST_BATCH = 64, 65_536


@dataclass(slots=True)
class Apps:
    """The apps of one workload, as columns.

    Attributes
    ----------
    replicas : int64 ndarray, shape (n_apps,)
    requests : dict of str to int64 ndarray, each of shape (n_apps,)
        By resource, for one pod: cpu in milli-cpu, all else in its own unit.
    priority : int64 ndarray, shape (n_apps,)
    namespace : int64 ndarray, shape (n_apps,)
        Which of the workload's namespaces.
    """

    replicas: I64
    requests: dict[str, I64]
    priority: I64
    namespace: I64

    def __len__(self) -> int:
        return len(self.replicas)

    def amounts(self, resource: str) -> I64:
        """How much of a resource all pods of each app request; "pods" is their number."""
        if resource == "pods":
            return self.replicas
        return self.replicas * self.requests.get(resource, np.zeros(len(self), np.int64))

    def first(self, number: int) -> "Apps":
        """Only the first apps."""
        return Apps(
            self.replicas[:number],
            {name: column[:number] for name, column in self.requests.items()},
            self.priority[:number],
            self.namespace[:number],
        )


class NothingRequestedError(ValueError):
    """However many apps of a workload there are, they come to nothing.

    Attributes
    ----------
    workload, resource : str
    """

    def __init__(self, workload: str, resource: str) -> None:
        self.workload = workload
        self.resource = resource
        super().__init__(f"{workload}: its apps come to no {resource}, however many there are")


class AppDraws:
    """Draws the apps of a workload, batch by batch; always the same ones for a seed.

    Parameters
    ----------
    workload : Workload
    seed : int
    """

    def __init__(self, workload: Workload, seed: int) -> None:
        self._workload = workload
        self._streams: dict[str, np.random.Generator] = {}
        self._seed = seed

    def take(self, number: int) -> Apps:
        """The next apps."""
        workload = self._workload
        requests = self._bundles(number) if workload.bundles else self._requests(number)
        replicas = requests.pop(REPLICAS, None)
        if replicas is None:
            replicas = drawn(workload.replicas, WHOLE, self._normals("replicas", number))
        return Apps(
            replicas=np.maximum(replicas, 0),
            requests=requests,
            priority=drawn(workload.priority or 0, WHOLE, self._normals("priority", number)),
            namespace=self._stream("namespace").integers(0, max(workload.namespaces, 1), number),
        )

    def until(self, resource: str, amount: int) -> Apps:
        """As many apps as it takes to request an amount; the last one is cut to what is missing.

        Parameters
        ----------
        resource : str
            Or "pods".
        amount : int

        Raises
        ------
        NothingRequestedError
        """
        size, batches, reached = _FIRST_BATCH, [self.take(0)], 0
        while reached < amount:
            batches.append(self.take(size))
            reached += int(batches[-1].amounts(resource).sum())
            if not reached and size == _LARGEST_BATCH:
                raise NothingRequestedError(self._workload.name, resource)
            size = min(2 * size, _LARGEST_BATCH)
        return _cut(_joined(batches), resource, amount)

    def _requests(self, number: int) -> dict[str, I64]:
        workload, normals = self._workload, {}
        for name in workload.requests:
            normals[name] = self._normals(f"request {name}", number)
        if workload.correlation and {"cpu", "memory"} <= normals.keys():
            rho = workload.correlation
            normals["memory"] = rho * normals["cpu"] + np.sqrt(1 - rho * rho) * normals["memory"]
        return {name: drawn(draw, unit_of(name), normals[name]) for name, draw in workload.requests.items()}

    def _bundles(self, number: int) -> dict[str, I64]:
        bundles = self._workload.bundles
        weights = np.array([float(bundle.get(WEIGHT, 1)) for bundle in bundles], np.float64)
        chosen = weighted(weights, self._stream("bundle").random(number))
        names = dict.fromkeys(name for bundle in bundles for name in bundle if name != WEIGHT)
        return {name: _amounts(name, bundles)[chosen] for name in names}

    def _normals(self, purpose: str, number: int) -> F64:
        return self._stream(purpose).standard_normal(number)

    def _stream(self, purpose: str) -> np.random.Generator:
        if purpose not in self._streams:
            self._streams[purpose] = stream(self._seed, "workload", self._workload.name, purpose)
        return self._streams[purpose]


def _amounts(name: str, bundles: tuple[dict[str, Quantity], ...]) -> I64:
    return np.array([unit_of(name).of(bundle.get(name, 0)) for bundle in bundles], np.int64)


def _joined(batches: list[Apps]) -> Apps:
    return Apps(
        np.concatenate([item.replicas for item in batches]),
        {name: np.concatenate([item.requests[name] for item in batches]) for name in batches[0].requests},
        np.concatenate([item.priority for item in batches]),
        np.concatenate([item.namespace for item in batches]),
    )


def _cut(apps: Apps, resource: str, amount: int) -> Apps:
    """Only the apps that it takes to request an amount, of the last one only the pods that it takes."""
    if amount <= 0:
        return apps.first(0)
    ends = np.cumsum(apps.amounts(resource))
    last = int(np.searchsorted(ends, amount))
    kept = apps.first(last + 1)
    missing = amount - (int(ends[last - 1]) if last else 0)
    each = 1 if resource == "pods" else int(kept.requests[resource][last])
    kept.replicas = kept.replicas.copy()
    kept.replicas[last] = -(-missing // each)
    return kept


def arrivals_ns(workload: Workload, number: int, seed: int) -> I64:
    """When each app of a workload is created, in nanoseconds after the description's start; ascending."""
    arrival = workload.arrival
    if arrival is None:
        return np.zeros(number, np.int64)
    seconds = arrival.start + _moments(arrival, number, stream(seed, "workload", workload.name, "arrival"))
    return np.sort(np.rint(seconds * _SECOND).astype(np.int64))


def _moments(arrival: Arrival, number: int, generator: np.random.Generator) -> F64:
    if arrival.pattern == "even":
        return (np.arange(number) + 0.5) / max(number, 1) * arrival.over
    if arrival.pattern == "poisson":
        # Given their number, the events of a Poisson process lie independently and uniformly.
        return generator.random(number) * arrival.over
    # The rate is 1 + swing * sin(2 pi t / day): its integral is tabled and inverted.
    times = np.linspace(0.0, arrival.over, 4097)
    turn = 2 * np.pi / _DAY
    passed = times + arrival.swing / turn * (1 - np.cos(turn * times))
    return np.interp(generator.random(number) * passed[-1], passed, times)


def lifetimes_ns(workload: Workload, number: int, seed: int) -> I64 | None:
    """How long each pod of a workload runs, in nanoseconds; None for ever."""
    if workload.lifetime is None:
        return None
    normals = stream(seed, "workload", workload.name, "lifetime").standard_normal(number)
    return drawn(workload.lifetime, WHOLE, normals) * _SECOND
