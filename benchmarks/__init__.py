"""Benchmarks: what kplace's speed claims are measured by."""
