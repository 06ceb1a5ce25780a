"""Files in and out: clusters, placements, traces."""
