from benchmarks.synth import measure


def test_figures_of_the_smallest_preset():
    figures = measure("small", 1)
    assert (figures["nodes"], figures["pods"]) == (6, 29)
    assert figures["make_seconds"] > 0
    assert figures["snapshot_bytes"] > 1000
