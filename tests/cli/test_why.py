"""``kplace why``: the changes, for people and as rows."""

import csv
import io


def test_a_pod_that_is_too_large(kplace, cluster):
    result = kplace("why", cluster, "--pod", "shop/large")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "shop/large"
    assert "What would let it in" in result.stdout
    rows = list(csv.DictReader(io.StringIO(kplace("why", cluster, "--pod", "shop/large", "--format", "csv").stdout)))
    assert rows[0]["kind"] == "request"


def test_a_pod_that_fits_and_one_that_is_held(kplace, cluster):
    assert "fits as things are: it goes to one" in kplace("why", cluster, "--pod", "shop/web").stdout
    assert "the scheduler does not try it: it is held back" in kplace("why", cluster, "--pod", "shop/held").stdout


def test_no_such_pod(kplace, cluster):
    result = kplace("why", cluster, "--pod", "shop/wep")
    assert result.exit_code == 2
    assert "--pod: there is no pod shop/wep in the input; did you mean shop/web?" in result.stderr
    result = kplace("why", cluster, "--pod", "nope/x")
    assert "there is no pod nope/x in the input, which holds 5 pods, in shop" in result.stderr
