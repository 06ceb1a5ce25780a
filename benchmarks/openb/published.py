"""What the trace's authors found: the expected results of their simulator, medians of ten seeds.

From hkust-adsl/kubernetes-scheduler-simulator @ 8f3d641, folder ``experiments/analysis/expected_results``: the files
``analysis_allo_discrete.csv`` and ``analysis_frag_discrete.csv``, load 1.3, 1,213 nodes with GPUs. They are what
figures 7 and 9 of the paper show.
"""

ARRIVED = tuple(range(0, 131, 10))
"""Percent of the cluster's GPU capacity that has arrived as demand."""

ALLOCATED = {
    ("default", "best-fit"): (
        0.25,
        10.01,
        19.99,
        30.02,
        40.02,
        50.01,
        60.0,
        70.0,
        80.01,
        90.01,
        92.91,
        92.98,
        93.04,
        93.11,
    ),
    ("default", "FGD"): (0.25, 10.01, 19.99, 30.02, 40.02, 50.01, 60.0, 70.0, 80.01, 90.0, 95.23, 95.32, 95.37, 95.4),
    ("gpushare40", "best-fit"): (
        0.25,
        10.0,
        19.99,
        30.0,
        39.99,
        50.03,
        60.01,
        70.0,
        80.0,
        89.99,
        91.47,
        91.55,
        91.65,
        91.73,
    ),
    ("gpushare40", "FGD"): (
        0.25,
        10.0,
        19.99,
        30.0,
        39.99,
        50.03,
        60.01,
        70.0,
        80.0,
        89.99,
        93.96,
        94.02,
        94.09,
        94.14,
    ),
}
"""Percent of the capacity, by list and policy."""

FRAGMENTED = {
    ("default", "best-fit"): (14.04, 14.2, 13.36, 12.48, 11.68, 10.81, 9.96, 9.08, 8.21, 7.35, 7.02, 6.94, 6.88, 6.82),
    ("default", "FGD"): (13.88, 12.86, 11.9, 10.88, 9.91, 8.95, 7.96, 6.97, 5.97, 5.01, 4.73, 4.64, 4.59, 4.56),
    ("gpushare40", "best-fit"): (
        13.92,
        14.42,
        13.66,
        12.93,
        12.22,
        11.57,
        10.88,
        10.16,
        9.47,
        8.74,
        8.5,
        8.41,
        8.32,
        8.24,
    ),
    ("gpushare40", "FGD"): (13.82, 12.96, 12.12, 11.29, 10.4, 9.57, 8.7, 7.82, 6.96, 6.09, 5.99, 5.92, 5.86, 5.81),
}
