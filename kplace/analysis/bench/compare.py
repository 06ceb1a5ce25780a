"""Two runs of the benchmark side by side: what got slower beyond the noise."""

from dataclasses import dataclass

from kplace.analysis.bench.report import BenchReport, Cost

LEAST = 1.05
"""A smaller factor is never called a change."""


@dataclass(frozen=True, slots=True)
class Change:
    """One plugin at one point and size, then and now.

    Attributes
    ----------
    before, now : Cost
    factor : float
        By how much longer a call takes now; below 1 it is faster.
    verdict : {"slower", "faster", "same"}
        ``"same"`` where the difference is no larger than what the rounds of either run differ by among themselves, or
        than what the machine was slower or faster as a whole.
    """

    before: Cost
    now: Cost
    factor: float
    verdict: str


def compare(now: BenchReport, before: BenchReport) -> list[Change]:
    """Compare what two runs have both measured, in the order of the later one.

    A call counts as slower if the quarter of its fastest rounds ends above where the quarter of its slowest began
    before, and the medians differ by a factor of `LEAST` at least. Where the machine as a whole has changed its speed
    by a factor (told by `BenchReport.probe_ns`), the difference has to exceed that too.
    """
    known = {cost.key: cost for cost in before.costs}
    drift = now.probe_ns / before.probe_ns if before.probe_ns > 0 else 1.0
    return [_change(known[cost.key], cost, drift) for cost in now.costs if cost.key in known]


def _change(before: Cost, now: Cost, drift: float) -> Change:
    factor = now.median_ns / max(before.median_ns, 1e-9)
    verdict = "same"
    if _exceeds(now, before, max(drift, 1.0)):
        verdict = "slower"
    elif _exceeds(before, now, max(1.0 / drift, 1.0)):
        verdict = "faster"
    return Change(before, now, factor, verdict)


def _exceeds(slow: Cost, fast: Cost, drift: float) -> bool:
    return slow.quartiles[0] > fast.quartiles[1] * drift and slow.median_ns > fast.median_ns * drift * LEAST
