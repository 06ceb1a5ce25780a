import io
import json

import pytest

from kplace import Cluster
from kplace.dtypes import TieBreak
from kplace.engine.cycle import Options
from kplace.engine.place import place_waiting
from kplace.io.trace import FullTrace, TraceWriter, counts_record, full_record
from kplace.plugins.defaults import default_profile
from kplace.state import ClusterState
from tests.frames.tables import NODES, PODS, cluster

OPTIONS = Options(TieBreak.FIRST, 0, 0)


def run(made: Cluster, *watchers_of) -> None:
    state, profiles = ClusterState(made.columns), [default_profile()]
    place_waiting(state, profiles, OPTIONS, watchers=[make(state, profiles) for make in watchers_of])


def test_the_written_record_is_the_collected_one():
    made = Cluster.from_frames(NODES, PODS.assign(gated=[False] * 4 + [True], scheduler=[None] * 3 + ["other", None]))
    file = io.BytesIO()
    kept = {}

    def write(state, profiles):
        kept["writer"] = TraceWriter(file, state, profiles, OPTIONS, full_record)
        return kept["writer"].watch

    def collect(state, profiles):
        kept["full"] = FullTrace(state, profiles, OPTIONS)
        return kept["full"].watch

    run(made, write, collect)
    kept["writer"].close()
    written = json.loads(file.getvalue())
    assert written == kept["full"].record()
    # Pods that are not tried come first: huge is another scheduler's, train is gated.
    assert [(pod["pod"], pod["state"]) for pod in written["pods"]] == [
        ("data/huge", "skipped"),
        ("data/train", "gated"),
        ("data/db", "scheduled"),
        ("shop/web-1", "scheduled"),
    ]


@pytest.mark.parametrize("make", [full_record, counts_record])
def test_it_is_written_while_the_run_goes_on(make):
    file = io.BytesIO()
    sizes = []

    def write(state, profiles):
        writer = TraceWriter(file, state, profiles, OPTIONS, make)

        def watch(attempt, message):
            writer.watch(attempt, message)
            sizes.append(len(file.getvalue()))

        return watch

    run(cluster(), write)
    assert len(sizes) == 4
    assert sizes == sorted(set(sizes))


def test_counts_are_the_sizes_of_the_full_record():
    full, slim = [], []
    run(
        cluster(),
        lambda *_: lambda attempt, message: full.append(full_record(attempt, message, OPTIONS)),
        lambda *_: lambda attempt, message: slim.append(counts_record(attempt, message, OPTIONS)),
    )
    for long, short in zip(full, slim, strict=True):
        sample = long["sample"] | {"feasible": len(long["sample"]["feasible"])}
        assert short["sample"] == {key: sample[key] for key in sample if key != "numNodesToFind"}
        assert short.get("best") == (len(long["best"]) if "best" in long else None)
        assert short.get("bestTotal") == (max(long["total"].values()) if "total" in long else None)
        assert not {"rejected", "scores", "skippedFilter"} & short.keys()
