"""NodeVolumeLimits: how many volumes a node can attach."""
