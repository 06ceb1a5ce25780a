"""Rescore against kplace.score of the cluster without the pod; what lets a pod in, done by hand and placed again."""

import json

import numpy as np
import pandas as pd

import kplace
from kplace.analysis.rescore import rescore
from tests.analysis.on_real_inputs.plain import keys_of, others_that_wait
from tests.analysis.test_why_by_hand import check_all

PODS = 8


def test_rescore_is_the_score_in_the_cluster_without_the_pod(each):
    cluster = each.cluster.without_pods(others_that_wait(each.cluster))
    found = rescore(cluster, moves=0)
    table = found.pods.assign(key=keys_of(found.pods))
    picked = table.iloc[np.linspace(0, len(table) - 1, PODS).astype(int)]
    regrets = []
    for row in picked.to_dict("records"):
        scores = kplace.score(cluster.released([row["key"]])).wide()
        totals = scores.astype({"node": "str"}).set_index("node")["total"].dropna()
        best = totals.max()
        assert (row["best_total"], row["ties"], row["feasible"]) == (best, (totals == best).sum(), len(totals))
        assert totals[row["best_node"]] == best
        if row["node"] in totals:
            assert row["regret"] == best - totals[row["node"]]
            regrets.append(row["regret"])
        else:
            assert pd.isna(row["regret"])
    assert len(regrets) > PODS // 2
    assert any(regrets)


def test_what_lets_a_pod_in_does(small, tmp_path):
    path = tmp_path / "after.json"
    small.cluster.to_manifests(path)
    docs = json.loads(path.read_text())["items"]
    pending = small.run.pods[small.run.pods["status"] == "unschedulable"]
    chosen = pending.drop_duplicates("message").head(4)
    assert len(chosen)
    assert check_all(docs, keys_of(chosen)) & {"request", "node", "toleration", "eviction"}
