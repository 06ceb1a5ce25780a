"""Jobs and CronJobs."""

import pytest

from kplace.objects.meta import OwnerReference
from tests.io.expanding import controller, expanded, pod, reference, with_meta

INDEX = "batch.kubernetes.io/job-completion-index"


def job(name: str = "sum", *, status: dict | None = None, owner: dict | None = None, **spec) -> dict:
    return controller("Job", name, "batch", owner=owner, **spec) | {"status": status or {}}


@pytest.mark.parametrize(
    ("spec", "status", "phases", "lacking"),
    [
        ({}, {}, [], 1),  # one completion, one at a time
        ({"completions": 6, "parallelism": 2}, {}, [], 2),
        ({"completions": 6, "parallelism": 4}, {"succeeded": 4}, [], 2),  # min(4, 6 - 4)
        ({"completions": 6, "parallelism": 4}, {}, ["Succeeded"] * 4, 2),  # the same, told by the pods
        ({"completions": 6, "parallelism": 4}, {"succeeded": 4}, ["Succeeded"] * 4 + ["Running"], 1),
        ({"completions": 6, "parallelism": 4}, {"succeeded": 6}, [], 0),
        ({"completions": 3}, {}, [], 1),  # parallelism defaults to one
        ({"completions": 2, "parallelism": 2}, {}, ["Failed", "Running"], 1),
        ({"completions": 2, "parallelism": 0}, {}, [], 0),
        ({"completions": 2, "parallelism": 1}, {}, ["Running", "Running"], 0),
        ({"parallelism": 3}, {}, ["Running"], 2),  # a work queue
        ({"parallelism": 3}, {"succeeded": 1}, [], 0),  # whose end one success announces
        ({"suspend": True, "completions": 2}, {}, [], 0),
        ({}, {"conditions": [{"type": "Failed", "status": "True"}]}, ["Failed"], 0),
        ({"completions": 2}, {"succeeded": 1, "conditions": [{"type": "Complete", "status": "True"}]}, [], 0),
        ({}, {"conditions": [{"type": "Failed", "status": "False"}]}, [], 1),
        ({}, {"conditions": [{"type": "Suspended", "status": "True"}]}, [], 1),
    ],
)
def test_as_many_at_a_time_as_there_is_work_left_for(spec, status, phases, lacking):
    owner = job(status=status, **spec)
    outcome = expanded(owner, *(pod(f"sum-{n}x", owner, phase=phase) for n, phase in enumerate(phases)))
    assert outcome.names == [f"sum-{number:05d}" for number in range(lacking)]


def test_a_pod_being_deleted_is_replaced():
    owner = job()
    assert len(expanded(owner, pod("sum-x", owner, deletionTimestamp="2026-01-01T00:00:00Z")).made) == 1


def test_labels_are_those_that_the_api_server_adds():
    (made,) = expanded(job()).made
    assert made.labels == {"app": "sum", "job-name": "sum", "batch.kubernetes.io/job-name": "sum"}
    (made,) = expanded(with_meta(job(), uid="j1")).made
    assert made.labels["controller-uid"] == made.labels["batch.kubernetes.io/controller-uid"] == "j1"
    assert made.owner == OwnerReference("batch/v1", "Job", "sum", "j1", controller=True)


@pytest.mark.parametrize(
    ("status", "there", "indexes"),
    [
        ({}, [], [0, 1, 2]),
        ({"succeeded": 3, "completedIndexes": "0,2-3"}, [], [1, 4, 5]),
        ({"failedIndexes": "1"}, [], [0, 2, 3]),
        ({}, [("sum-0-abcde", "Running", {INDEX: "0"})], [1, 2]),
        ({}, [("sum-1-abcde", "Running", {})], [0, 2]),  # without the label the name tells
        ({}, [("sum-0-abcde", "Failed", {INDEX: "0"})], [0, 1, 2]),
        ({}, [("sum-0-abcde", "Succeeded", {INDEX: "0"})], [1, 2, 3]),
        ({"succeeded": 7, "completedIndexes": "0-3,5-7"}, [], [4]),
    ],
)
def test_an_indexed_job_takes_the_lowest_open_indexes(status, there, indexes):
    owner = job(completions=8, parallelism=3, completionMode="Indexed", status=status)
    outcome = expanded(owner, *(pod(name, owner, phase=phase, labels=labels) for name, phase, labels in there))
    assert outcome.names == [f"sum-{index}" for index in indexes]
    assert [made.labels[INDEX] for made in outcome.made] == list(map(str, indexes))


def test_a_replacement_for_an_index_gets_another_name():
    owner = job(completionMode="Indexed", completions=1)
    outcome = expanded(owner, pod("sum-0", owner, phase="Failed"))
    assert outcome.names == ["sum-0-00000"]
    assert outcome.made[0].labels[INDEX] == "0"


def cron_job(*, suspend: bool = False, **spec) -> dict:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": job(**spec)["spec"]}
    return controller("CronJob", "nightly", "batch", jobTemplate=template, suspend=suspend)


def test_a_cron_job_is_one_run():
    outcome = expanded(cron_job(completions=5, parallelism=2))
    assert outcome.names == ["nightly-00000-00000", "nightly-00000-00001"]
    made = outcome.made[0]
    assert made.owner == OwnerReference("batch/v1", "Job", "nightly-00000", "", controller=True)
    assert made.labels["job-name"] == "nightly-00000"
    assert outcome.notes["made-pods"].endswith("2 from 1 CronJob")


def test_a_suspended_cron_job_does_not_run():
    assert not expanded(cron_job(suspend=True)).made
    assert not expanded(cron_job() | {"spec": {}}).made


def test_a_cron_job_with_a_job_is_running_already():
    outcome = expanded(cron_job(), job("nightly-29000000", owner=cron_job(), completions=2, parallelism=2))
    assert outcome.names == ["nightly-29000000-00000", "nightly-29000000-00001"]


def test_pods_tell_of_a_run_that_is_not_in_the_input():
    run = reference(job("nightly-29000000"))
    assert not expanded(cron_job(), pod("nightly-29000000-x", namespace="batch", ownerReferences=[run])).made
    other = reference(job("nightly-backup"))
    assert expanded(cron_job(), pod("nightly-backup-x", namespace="batch", ownerReferences=[other])).made
