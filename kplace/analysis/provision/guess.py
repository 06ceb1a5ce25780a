"""A first guess of the nodes that are needed, by numbers alone: node after node, filled with what is worth most."""

from collections.abc import Mapping, Sequence

import numpy as np

from kplace.analysis.provision.bound import Packing, lower_bound
from kplace.analysis.provision.catalogue import Catalogue
from kplace.dtypes import I64, Mask


class Room:
    """How many more nodes limits allow.

    Parameters
    ----------
    catalogue : Catalogue
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._candidates = catalogue.candidates
        self._under: dict[int, list[int]] = {}
        for c, item in enumerate(catalogue.candidates):
            if item.limit is not None:
                self._under.setdefault(id(item.limit), []).append(c)

    def left(self, counts: Sequence[int], c: int) -> int | None:
        """How many more nodes of a candidate may be added to some; None for any number."""
        item = self._candidates[c]
        if item.limit is None:
            return None
        most = None
        for resource, amount in item.limit.room.items():
            used = sum(
                counts[d] * _counted(self._candidates[d].capacity, resource) for d in self._under[id(item.limit)]
            )
            each = _counted(item.capacity, resource)
            if each > 0:
                number = max((amount - used) // each, 0)
                most = number if most is None else min(most, number)
        return most

    def allows(self, counts: Sequence[int]) -> bool:
        """Whether some nodes are within all limits."""
        for rows in self._under.values():
            limit = self._candidates[rows[0]].limit
            assert limit is not None
            for resource, amount in limit.room.items():
                if sum(counts[c] * _counted(self._candidates[c].capacity, resource) for c in rows) > max(amount, 0):
                    return False
        return True


def _counted(capacity: Mapping[str, int], resource: str) -> int:
    return 1 if resource == "nodes" else capacity.get(resource, 0)


def guess(packing: Packing, demand: I64, fits: Mask, room: Room, there: Sequence[int]) -> list[int]:
    """Guess which nodes to add.

    Parameters
    ----------
    packing : Packing
    demand : int64 ndarray, shape (n_classes,)
        Pods of each class that have to fit.
    fits : bool ndarray, shape (n_classes, n_candidates)
        Where they may go.
    room : Room
    there : sequence of int
        Nodes by candidate that are added already.

    Returns
    -------
    list of int
        Further nodes by candidate.

    Notes
    -----
    A pod is worth what it costs at least: its share in the lower bound. A node of each candidate is filled with the
    pods that are worth the most, and the one that holds most for its price is taken, as often as the pods last. Where
    several are equally good, as nodes in different zones are, they are taken in turn.
    """
    added = [0] * len(packing.price)
    left = np.where(fits.any(axis=1), demand, 0)
    if not left.sum():
        return added
    part = Packing(left, packing.request, packing.room, packing.price, fits, packing.alone)
    worth = np.zeros(len(left))
    worth[left > 0] = lower_bound(part.of(left)).values
    order = np.argsort(-worth, kind="stable")
    prices = np.array([float(price) for price in packing.price])
    open_candidates: Mask = np.array(fits.any(axis=0), np.bool_)
    while left.sum() and open_candidates.any():
        total = [a + b for a, b in zip(there, added, strict=True)]
        pattern = _filled(packing, left, fits & open_candidates, order)
        value = (worth[:, None] * pattern).sum(axis=0) + 1e-9 * pattern.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            yields = np.where(value > 0, value / prices, 0.0)
        best = yields.max()
        if best <= 0:
            break
        alike = np.flatnonzero(yields >= best * (1 - 1e-12)).tolist()
        c = min(alike, key=lambda c: (total[c], c))
        most = room.left(total, c)
        if most == 0:
            open_candidates[c] = False
            continue
        mine = pattern[:, c]
        times = int((left[mine > 0] // mine[mine > 0]).min())
        if len(alike) > 1:
            times = max(times // len(alike), 1)
        if most is not None:
            times = min(times, most)
        added[c] += times
        left = left - mine * times
    return added


def _filled(packing: Packing, left: I64, fits: Mask, order: I64) -> I64:
    """Pods of each class on one node of each candidate, if filled in an order; shape (n_classes, n_candidates)."""
    free = packing.room.copy()
    pattern = np.zeros(fits.shape, np.int64)
    taken: dict[int, Mask] = {}
    for cls in order.tolist():
        if not left[cls]:
            continue
        request = packing.request[:, cls]
        asked = request > 0
        most: I64 = np.full(free.shape[1], left[cls], np.int64)
        if asked.any():
            most = (free[asked] // request[asked, None]).min(axis=0)
        number: I64 = np.where(fits[cls], np.minimum(most, left[cls]), 0)
        group = int(packing.alone[cls])
        if group >= 0:
            has_one = taken.setdefault(group, np.zeros(fits.shape[1], np.bool_))
            number = np.where(has_one, 0, np.minimum(number, 1))
            taken[group] = has_one | (number > 0)
        pattern[cls] = number
        free -= request[:, None] * number
    return pattern
