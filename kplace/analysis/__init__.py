"""Questions about clusters and results: measurements, comparisons, what-ifs."""
