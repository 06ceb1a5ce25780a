"""Placing pods: which nodes are looked at, which of the best is taken, one pod after another."""
