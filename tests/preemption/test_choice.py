"""Which candidate is taken: each criterion decides only what the ones before it leave open."""

import numpy as np
import pytest

from kplace.dtypes import NO_TIME
from kplace.framework.preemption import Candidates
from kplace.preemption.choice import best_candidates
from kplace.state.node_pods import Importance


def of(*listed: list[tuple[int, int | None, bool]]) -> tuple[Candidates, Importance]:
    """Candidates given by their victims: priority, start, whether a budget breaks."""
    flat = [victim for victims in listed for victim in victims]
    start = np.cumsum([0, *map(len, listed)])
    candidates = Candidates(
        nodes=np.arange(len(listed), dtype=np.int32),
        start=start,
        victims=np.arange(len(flat), dtype=np.int32),
        violating=np.array([breaks for _, _, breaks in flat], np.bool_),
    )
    times = [NO_TIME if started is None else started for _, started, _ in flat]
    return candidates, Importance(np.array([priority for priority, _, _ in flat], np.int64), np.array(times, np.int64))


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        pytest.param([[(0, 0, True)], [(9, 0, False), (9, 0, False)]], [1], id="fewest violations"),
        pytest.param([[(5, 0, False)], [(4, 0, False), (4, 0, False), (4, 0, False)]], [1], id="lowest top victim"),
        # 3 + 1 + 2 * 2**31 against 3 + 2 * 2**31 - 7: the sum, with as many victims.
        pytest.param([[(3, 0, False), (1, 0, False)], [(3, 0, False), (-7, 0, False)]], [1], id="smallest sum"),
        # -9 lowers the sum, the shift of 2**31 for one more victim raises it by more.
        pytest.param([[(3, 0, False), (-9, 0, False)], [(3, 0, False)]], [1], id="the sum is shifted"),
        # Shifted sums agree although the numbers of victims do not: 0 + 2**31 + 0 = (0 + 2**31) + (-2**31 + 2**31).
        pytest.param([[(0, 0, False), (-(2**31), 0, False)], [(0, 0, False)]], [1], id="fewest victims"),
        pytest.param([[(3, 5, False)], [(3, 7, False)], [(3, 6, False)]], [1], id="latest start"),
        # Only the victims of the highest priority count, of those the earliest: 5 against 6.
        pytest.param(
            [[(3, 5, False), (3, 9, False), (1, 9, False)], [(3, 6, False), (3, 6, False), (1, 0, False)]],
            [1],
            id="earliest of the top victims",
        ),
        pytest.param([[(3, 5, False)], [(3, None, False)]], [1], id="not started is latest"),
        pytest.param([[(3, 5, False)], [(4, 0, False)], [(3, 5, False)]], [0, 2], id="tied"),
    ],
)
def test_criteria_in_order(listed, expected):
    assert best_candidates(*of(*listed)).tolist() == expected
