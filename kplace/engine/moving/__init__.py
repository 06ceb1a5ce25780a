"""Pods taken off their nodes, new nodes found for them, and all of it taken back: what trying out removals needs."""
