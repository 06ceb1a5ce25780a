"""``kplace redact``: what is written is placed as what was read."""

import pytest


@pytest.mark.parametrize("name", ["c.yaml", "c.json.gz", "c/", "c.parquet"])
def test_a_redacted_dump_is_placed_alike(kplace, tmp_path, name):
    out = f"{tmp_path / name}/" if name.endswith("/") else tmp_path / name
    made = kplace("redact", "data/demo", "--verify", "--out", out)
    assert made.exit_code == 0, made.stderr
    assert "both are placed alike" in made.stderr
    before, after = (kplace("place", source).stdout.splitlines() for source in ("data/demo", out))
    assert after[0] == before[0]
    assert after[1].partition("result")[2] == before[1].partition("result")[2]


def test_standard_output_has_the_form_of_the_input(kplace, cluster):
    assert kplace("redact", cluster / "pods.json", cluster / "nodes.json", "--quiet").stdout.startswith('{"apiVersion"')
    assert kplace("redact", cluster, "--quiet").stdout.startswith("---\n")


def test_keys(kplace, cluster):
    texts = [kplace("redact", cluster, "--quiet", "--key", key).stdout for key in ("a", "a", "b")]
    assert texts[0] == texts[1] != texts[2]
    assert kplace("redact", cluster, "--quiet").stdout != kplace("redact", cluster, "--quiet").stdout


def test_faults_and_places(kplace, cluster, tmp_path):
    assert kplace("redact", tmp_path / "none").exit_code == 2
    assert kplace("redact", cluster / "pods.json", "--out", cluster / "pods.json").exit_code == 2
    (cluster / "bad.json").write_text('{"kind": "Pod", "spec": 3}')
    made = kplace("redact", cluster, "--out", tmp_path / "o.json")
    assert made.exit_code == 2
    assert not (tmp_path / "o.json").exists()
