"""Clusters that studies make of their inputs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kplace
from kplace.errors import UsageError
from kplace.sweeps.bundle import ALIGNMENT, Bundle, BundleError, writing_bundle
from kplace.sweeps.changes import changed, loaded, scaled
from kplace.sweeps.description import Load, WhatIf
from kplace.sweeps.inputs import digest_of


def cluster(n_nodes: int = 4, waiting: tuple[int, ...] = (1000, 2000, 500)) -> kplace.Cluster:
    nodes = pd.DataFrame(
        {
            "node": [f"n{i}" for i in range(n_nodes)],
            "cpu": 4,
            "memory": "8Gi",
            "zone": [f"z{i % 2}" for i in range(n_nodes)],
        }
    )
    names = [f"w{i}" for i in range(len(waiting))]
    pods = pd.DataFrame(
        {
            "pod": ["r0", "r1", *names],
            "cpu": ["1", "500m", *(f"{milli}m" for milli in waiting)],
            "memory": "1Gi",
            "node": ["n0", f"n{n_nodes - 1}", *[None] * len(names)],
            "owner_kind": ["DaemonSet", "ReplicaSet", *[None] * len(names)],
            "owner": ["d", "r", *[None] * len(names)],
        }
    )
    return kplace.Cluster.from_frames(nodes, pods)


@given(
    waiting=st.lists(st.integers(1, 3000), min_size=1, max_size=12),
    percent=st.floats(5, 300),
    order=st.sampled_from(["input", "drawn"]),
    seed=st.integers(0, 5),
)
def test_load_is_reached_but_not_exceeded(waiting, percent, order, seed):
    before = cluster(waiting=tuple(waiting))
    after = loaded(before, percent, Load(order=order), seed)
    chosen = after.pods[after.pods["node"].isna()]
    total = int(chosen["requested_cpu_milli"].sum()) + 1500
    target = int(16_000 * percent / 100)
    assert total <= max(target, 1500)
    # The next one would have been too much, and no pod is larger than the largest.
    assert total + max(waiting) > target
    assert after.pods["pod"].is_unique
    assert set(after.pods["pod"]) >= {"r0", "r1"}
    if order == "input":
        prefix = [f"w{i}" for i in range(len(waiting))][: len(chosen)]
        assert chosen["pod"].tolist()[: len(prefix)] == prefix
    assert digest_of(after.columns) == digest_of(loaded(before, percent, Load(order=order), seed).columns)


def test_loads_that_cannot_be():
    with pytest.raises(UsageError, match="no node offers example"):
        loaded(cluster(), 50, Load(resource="example.com/x"), 0)
    with pytest.raises(UsageError, match="no waiting pod requests cpu"):
        loaded(cluster(waiting=()), 50, Load(), 0)


@given(n_nodes=st.integers(2, 20), scale=st.floats(0.05, 4))
def test_scaled_to_the_nearest_number(n_nodes, scale):
    before = cluster(n_nodes)
    after = scaled(before, scale)
    wanted = max(round(n_nodes * scale), 1)
    assert len(after.nodes) == wanted
    assert after.nodes["node"].is_unique
    if wanted <= n_nodes:
        kept = sorted(int(name[1:]) for name in after.nodes["node"].astype("str"))
        gaps = np.diff([-1, *kept])
        assert gaps.max() <= -(-n_nodes // wanted) + 1
    else:
        assert set(before.nodes["node"].astype("str")) < set(after.nodes["node"].astype("str"))
        assert len(after.pods) == len(before.pods)


def test_what_ifs_are_the_changes_one_by_one():
    before = cluster()
    assert digest_of(changed(before, WhatIf()).columns) == digest_of(before.columns)
    for what_if, by_hand in (
        (WhatIf(remove_nodes=("n[01]",)), before.without_nodes(["n0", "n1"])),
        (WhatIf(cordon=("topology.kubernetes.io/zone=z1",)), before.cordoned(["n1", "n3"])),
        (WhatIf(drain=("n0", "n3")), before.cordoned(["n0", "n3"]).released(["default/r1"])),
        (WhatIf(remove_pods=("*/w*",)), before.without_pods([f"default/w{i}" for i in range(3)])),
        (WhatIf(release_pods=("default/r0",)), before.released(["default/r0"])),
        (WhatIf(copies=3), before.with_pods(before, copies=2)),
    ):
        assert digest_of(changed(before, what_if).columns) == digest_of(by_hand.columns)
        assert digest_of(by_hand.columns) != digest_of(before.columns)
    with pytest.raises(UsageError, match="no node is meant by 'x\\*'"):
        changed(before, WhatIf(cordon=("x*",)))
    with pytest.raises(UsageError, match="no pod is meant by"):
        changed(before, WhatIf(remove_pods=("w0",)))


def test_a_bundle_gives_back_what_was_put_in_without_copying(tmp_path):
    before = kplace.synth("web", nodes=20, pods=100)
    with writing_bundle(tmp_path / "b") as writer:
        writer.add("one", before.columns)
        writer.add("two", {"a": np.arange(5)})
    bundle = Bundle(tmp_path / "b")
    after = bundle.part("one")
    assert digest_of(after) == digest_of(before.columns)
    assert bundle.part("two")["a"].tolist() == [0, 1, 2, 3, 4]
    for column in (after.pods.template, after.nodes.allocatable):
        # Kernels are compiled for such arrays, and for no others.
        assert column.ctypes.data % ALIGNMENT == 0
        assert column.flags.writeable
        assert column.flags.aligned
        assert not column.flags.owndata
    after.pods.template[:] = 0
    assert digest_of(Bundle(tmp_path / "b").part("one")) == digest_of(before.columns)
    again = Bundle(tmp_path / "b").part("one")
    assert kplace.place(kplace.Cluster(again)).result_hash == kplace.place(before).result_hash


def test_what_is_no_bundle(tmp_path):
    (tmp_path / "b").write_bytes(b"something else altogether, long enough")
    with pytest.raises(BundleError, match="holds no clusters"):
        Bundle(tmp_path / "b")
    with pytest.raises(BundleError, match="cannot be read on this machine"):
        Bundle(tmp_path / "none")
