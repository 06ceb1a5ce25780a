"""PodTopologySpread: pods spread evenly over zones, hosts and other domains."""
