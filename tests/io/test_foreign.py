"""What is no cluster but looks familiar is called by its name."""

import pytest

from kplace.io.foreign import what_else
from tests.io.collecting import dumped, pod, read_all, read_text

FOR_READING = "is what kubectl prints for reading: it takes `kubectl get ... -o json` (or -o yaml)"
NAMES = "holds names only: it takes `kubectl get ... -o json` (or -o yaml)"

GET = "NAME   READY   STATUS    RESTARTS   AGE\nweb    1/1     Running   0          3d\n"
GET_ALL = "NAMESPACE     NAME   READY   STATUS    RESTARTS   AGE\nsystem   dns    1/1     Running   0          3d\n"
GET_ALL_KINDS = "NAME          READY   STATUS\npod/web       1/1     Running\n\nNAME  TYPE\nservice/a ClusterIP\n"
TOP = "NAME     CPU(cores)   CPU%   MEMORY(bytes)   MEMORY%\nnode-1   128m         3%     1200Mi          30%\n"
DESCRIBE_POD = "Name:             web\nNamespace:        shop\nPriority:         0\n"
DESCRIBE_NODE = "Name:               node-1\nRoles:              <none>\nLabels:             a=b\n"
CUSTOM = "NAME\nweb\napi\n"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("text", [GET, GET_ALL, GET_ALL_KINDS, TOP, DESCRIBE_POD, DESCRIBE_NODE, CUSTOM])
def test_what_kubectl_prints_for_reading(tmp_path, text, ending):
    for before in ("", "\n"):
        found = read_text(tmp_path, before + text.replace("\n", ending), "pods.txt")
        assert found.faults == [f"pods.txt: {FOR_READING}"]


@pytest.mark.parametrize("text", ["pod/web\npod/api\n", "deployment.apps/web\n", "node/a"])
def test_names_only(tmp_path, text):
    assert read_text(tmp_path, text, "names").faults == [f"names: {NAMES}"]


@pytest.mark.parametrize(
    "text",
    [
        dumped(pod()),
        "name: web\nnamespace: shop\n",
        "Name: web\n",
        "# NAME  READY\nkind: Pod\n",
        '{"kind": "List", "items": [], "kplace": {}}',
        '[{"node": "a"}]',
        "namespace: a",
        "https://example.com",
        "",
    ],
)
def test_other_texts_are_left_to_the_reader(text):
    assert what_else(text.encode()) == ""


def test_parquet_of_somebody_else():
    assert what_else(b"PAR1....PAR1") == "is a Parquet file: Kubernetes objects are read as JSON or YAML"


def test_in_a_folder_it_is_passed_over(tmp_path):
    (tmp_path / "pods.yaml").write_text(GET)
    (tmp_path / "pods.json").write_text(dumped(pod()))
    read = read_all(tmp_path)
    assert (read.faults, read.notes) == ([], [f"1 file without Kubernetes objects: {tmp_path}/pods.yaml"])
