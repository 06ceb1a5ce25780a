"""Finding the configuration in a file: ConfigMaps, Helm templates, bytes."""

import pytest

from kplace.config import Reading, read_configuration
from kplace.plugins.in_tree import IN_TREE

CONFIG = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparalelism: 3\n"


def read(text: str | bytes) -> Reading:
    data = text if isinstance(text, bytes) else text.encode()
    return read_configuration(data, IN_TREE, source="file.yaml")


def faults(text: str | bytes) -> list[str]:
    return list(map(str, read(text).faults))


def indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


UNKNOWN = 'paralelism: unknown field; did you mean "parallelism"?'


def test_lines_of_a_config_map_are_those_of_the_file():
    text = "kind: ConfigMap\ndata:\n  other: nothing\n  scheduler.yaml: |\n" + indented(CONFIG, 4)
    assert faults(text) == [f"file.yaml: line 7: {UNKNOWN}"]


def test_lines_that_cannot_be_told_are_those_of_the_key():
    text = f'{{"kind": "ConfigMap", "data": {{"cfg": {CONFIG!r}}}}}'.replace("'", '"')
    assert faults(text) == [f"file.yaml: cfg: line 3: {UNKNOWN}"]


def test_a_config_map_among_other_documents_and_in_a_list():
    config_map = "kind: ConfigMap\ndata:\n  config: |\n" + indented(CONFIG, 4)
    assert faults(f"kind: ServiceAccount\n---\n{config_map}") == [f"file.yaml: line 8: {UNKNOWN}"]
    listed = f"kind: List\nitems:\n- kind: Secret\n- {indented(config_map, 2).lstrip()}"
    assert faults(listed) == [f"file.yaml: line 9: {UNKNOWN}"]


def test_a_configuration_with_a_mistake_in_its_syntax_is_still_found():
    text = "kind: ConfigMap\ndata:\n  config: |\n    kind: KubeSchedulerConfiguration\n    profiles: [\n"
    assert faults(text) == [
        "file.yaml: line 6: not valid YAML: did not find expected node content (while parsing a flow node)"
    ]


V1 = "kubescheduler.config.k8s.io/v1"
NO_KIND = "line 1: kind is missing: expected kind: KubeSchedulerConfiguration"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("kind: ConfigMap\ndata: {a: b}\n", "line 1: a ConfigMap of which no key holds a scheduler configuration"),
        ("kind: ConfigMap\n", "line 1: a ConfigMap of which no key holds a scheduler configuration"),
        (
            "kind: ConfigMap\ndata:\n  a: 'kind: KubeSchedulerConfiguration'\n  b: 'kind: Policy'\n",
            "holds 2 configurations (a, b): write the one to use to a file of its own",
        ),
        ("kind: Pod\napiVersion: v1\n", f"line 2: apiVersion: kube-scheduler 1.34 reads {V1} only, not a Pod of v1"),
        ("a: b\n", f"{NO_KIND}; if these are the values of a Helm chart, render it first, with `helm template`"),
        ("Kind: KubeSchedulerConfiguration\n", f'{NO_KIND}; "Kind" is written kind'),
        (
            "algorithmprovider: x\n",
            f"{NO_KIND}; these are the options of a scheduler before 1.10, which no release reads any more",
        ),
        ("kind: 5\n", "line 1: kind: expected text, such as KubeSchedulerConfiguration"),
        (
            "kind: KubeSchedulerConfiguration\napiVersion: ''\n",
            f"line 1: apiVersion is missing: expected apiVersion: {V1}",
        ),
        ("", "line 1: the first document is empty: expected a KubeSchedulerConfiguration"),
        ("text", f"line 1: expected an object with apiVersion: {V1} and kind: KubeSchedulerConfiguration"),
        (b"a: b\n\xff", "line 2: not UTF-8 text: byte 0xff"),
    ],
)
def test_what_is_no_configuration(text, fault):
    assert faults(text) == [f"file.yaml: {fault}"]


@pytest.mark.parametrize(
    ("text", "line", "snippet"),
    [
        ("# a comment with {{ braces }}\nkind: ConfigMap\nmetadata:\n  name: {{ .Name }}\n", 4, "{{ .Name }}"),
        ("{{- if .Values.enabled }}\nkind: ConfigMap\n{{- end }}\n", 1, "{{- if .Values.enabled }}"),
        ('{{/* helpers */}}\n{{- define "x" -}}\n{{- end -}}\n', 1, "{{/* helpers */}}"),
        (
            "kind: ConfigMap\ndata:\n  config: |\n    kind: KubeSchedulerConfiguration\n    parallelism: {{ .n }}\n",
            5,
            "{{ .n }}",
        ),
    ],
)
def test_helm_templates_are_refused_as_such(text, line, snippet):
    assert faults(text) == [
        f"file.yaml: line {line}: a Helm template: render it first, with `helm template` (here is {snippet})"
    ]


def test_braces_do_no_harm_where_they_are_text():
    text = CONFIG.replace("paralelism: 3", "clientConnection: {kubeconfig: '{{ x }}'}")
    assert read(text).ok
