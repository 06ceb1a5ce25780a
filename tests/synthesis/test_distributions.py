"""That what is drawn is distributed as the description says: Kolmogorov and Smirnov, moments, exact shares."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from kplace.dtypes import MIB
from kplace.synthesis.description import Arrival, Draw, Exponential, Lognormal, Uniform, Workload, Zipf
from kplace.synthesis.draws import WHOLE, apportioned, drawn, stream, unit_of, weighted
from kplace.synthesis.generate import generate
from kplace.synthesis.load import load_description
from kplace.synthesis.workloads import AppDraws, arrivals_ns, lifetimes_ns

N = 20_000
# A correct sample passes this with a probability of 99.9 %, whatever its distribution; the seeds are fixed.
CRITICAL = 1.95 / math.sqrt(N)

NORMAL = NormalDist()


def distance(sample, below):
    """Largest distance between a sample's distribution function and the one it should have."""
    values, counts = np.unique(sample, return_counts=True)
    upto = np.cumsum(counts) / counts.sum()
    wanted = np.array([below(value) for value in values.tolist()])
    return max(np.abs(upto - wanted).max(), 0.0)


def sample(draw, unit=WHOLE, name="x"):
    return drawn(draw, unit, stream(11, name).standard_normal(N))


def test_lognormal():
    cpu = sample(Draw(lognormal=Lognormal("500m", 0.8), step="1m"), unit_of("cpu"))
    # Rounding to a whole milli-cpu puts the boundary half a one above the value.
    assert distance(cpu, lambda x: NORMAL.cdf(math.log((x + 0.5) / 500) / 0.8)) < CRITICAL


@pytest.mark.parametrize("exponent", [0.7, 1.0, 1.8])
def test_zipf(exponent):
    ranks = np.arange(1, 301) ** -exponent
    upto = np.cumsum(ranks) / ranks.sum()
    assert distance(sample(Draw(zipf=Zipf(exponent, 300))), lambda k: upto[k - 1]) < CRITICAL


def test_uniform():
    memory = sample(Draw(uniform=Uniform("1Gi", "3Gi")), unit_of("memory"))
    assert distance(memory, lambda x: (x / MIB + 0.5 - 1024) / 2048) < CRITICAL


def test_exponential():
    seconds = sample(Draw(exponential=Exponential(900)))
    assert distance(seconds, lambda x: 1 - math.exp(-(x + 0.5) / 900)) < CRITICAL


def test_mix():
    cpu = sample(Draw(mix={"2": 1.0, "100m": 5.0, "500m": 4.0}), unit_of("cpu"))
    assert set(cpu.tolist()) == {100, 500, 2000}
    assert distance(cpu, {100: 0.5, 500: 0.9, 2000: 1.0}.__getitem__) < CRITICAL


def test_bounds_and_steps():
    cpu = sample(Draw(lognormal=Lognormal("500m", 2.0), min="50m", max="4", step="50m"), unit_of("cpu"))
    assert (cpu.min(), cpu.max()) == (50, 4000)
    assert not (cpu % 50).any()
    assert sample(Draw(lognormal=Lognormal("100Mi", 3.0)), unit_of("memory")).min() >= MIB


def test_a_larger_normal_number_never_gives_a_smaller_draw():
    normals = np.linspace(-6, 6, 2001)
    for draw in (
        Draw(mix={"3": 1, "1": 2}),
        Draw(zipf=Zipf(1.2, 50)),
        Draw(lognormal=Lognormal(30, 1)),
        Draw(exponential=Exponential(40)),
        Draw(uniform=Uniform(1, 100)),
    ):
        assert (np.diff(drawn(draw, WHOLE, normals)) >= 0).all(), draw


@pytest.mark.parametrize("rho", [-0.5, 0.0, 0.8])
def test_correlation_of_cpu_and_memory(rho):
    workload = Workload(
        name="w",
        requests={
            "cpu": Draw(lognormal=Lognormal("2", 0.7), step="1m"),
            "memory": Draw(lognormal=Lognormal("4Gi", 1.1), step="1Mi"),
        },
        correlation=rho,
    )
    apps = AppDraws(workload, 5).take(N)
    cpu, memory = (np.log(apps.requests[name]) for name in ("cpu", "memory"))
    assert np.corrcoef(cpu, memory)[0, 1] == pytest.approx(rho, abs=0.02)
    # The one does not change how the other is distributed.
    assert distance(apps.requests["memory"], lambda x: NORMAL.cdf(math.log((x / MIB + 0.5) / 4096) / 1.1)) < CRITICAL


def test_correlated_mixes_keep_their_shares():
    mix = Draw(mix={"1": 1.0, "2": 1.0, "4": 2.0})
    workload = Workload(name="w", requests={"cpu": mix, "memory": mix}, correlation=0.9)
    apps = AppDraws(workload, 5).take(N)
    for name, unit in (("cpu", 1000), ("memory", 1)):
        share = [(apps.requests[name] == number * unit).mean() for number in (1, 2, 4)]
        np.testing.assert_allclose(share, [0.25, 0.25, 0.5], atol=0.015)
    assert np.corrcoef(apps.requests["cpu"], apps.requests["memory"])[0, 1] > 0.7


def test_bundles_are_drawn_whole():
    workload = Workload(name="w", bundles=({"cpu": "1", "memory": "1Gi", "weight": 3}, {"cpu": "8", "x.io/gpu": 1}))
    apps = AppDraws(workload, 5).take(N)
    pairs = set(zip(*(apps.requests[name].tolist() for name in ("cpu", "memory", "x.io/gpu")), strict=True))
    assert pairs == {(1000, 2**30, 0), (8000, 0, 1)}
    assert (apps.requests["cpu"] == 1000).mean() == pytest.approx(0.75, abs=0.015)


def test_a_bundle_may_say_how_large_an_app_is():
    workload = Workload(name="w", replicas=5, bundles=({"cpu": "1", "replicas": 9}, {"cpu": "2", "replicas": 2}))
    apps = AppDraws(workload, 5).take(N)
    assert set(zip(apps.requests["cpu"].tolist(), apps.replicas.tolist(), strict=True)) == {(1000, 9), (2000, 2)}
    assert list(apps.requests) == ["cpu"]


def test_arrivals():
    def moments(**arrival):
        return arrivals_ns(Workload(name="w", arrival=Arrival(**arrival)), N, 3) / 1e9

    assert distance(moments(over=500.0, start=100.0), lambda x: (x - 100) / 500) < CRITICAL
    even = moments(over=float(N), pattern="even")
    np.testing.assert_allclose(even, np.arange(N) + 0.5)
    day, turn = 86_400.0, 2 * math.pi / 86_400

    def below(x, swing=0.8):
        return (x + swing / turn * (1 - math.cos(turn * x))) / day

    assert distance(moments(over=day, pattern="daily"), below) < CRITICAL


def test_every_pod_has_a_lifetime_of_its_own():
    workload = Workload(name="w", lifetime=Draw(lognormal=Lognormal(600, 1.2)))
    seconds = lifetimes_ns(workload, N, 3) / 1e9
    assert distance(seconds, lambda x: NORMAL.cdf(math.log((x + 0.5) / 600) / 1.2)) < CRITICAL


def test_replicas_of_a_cluster():
    """The apps that make up a number of pods are not chosen by their size: the last one aside, nothing is cut."""
    replicas = {"zipf": {"exponent": 1.5, "max": 200}}
    description = {
        "pools": [{"name": "n", "count": 1, "shape": "m5.large"}],
        "workloads": [{"name": "w", "replicas": replicas}],
        "pods": 60_000,
    }
    columns = generate(load_description(description), 2)
    sizes = np.bincount(columns.pods.template)
    ranks = np.arange(1, 201) ** -1.5
    upto = np.cumsum(ranks) / ranks.sum()
    assert sizes.sum() == 60_000
    assert distance(sizes[:-1], lambda k: upto[k - 1]) < 1.95 / math.sqrt(len(sizes) - 1)


def test_weights_are_shares():
    assert np.bincount(weighted(np.array([1.0, 0.0, 3.0]), np.linspace(0, 0.9999, 4000))).tolist() == [1000, 0, 3000]
    assert apportioned(np.array([1.0, 1.0, 1.0]), 10).tolist() == [4, 3, 3]


def test_streams_are_independent():
    a, b = (stream(1, name).standard_normal(N) for name in ("a", "b"))
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.03
