"""VolumeZone: volumes that are tied to a zone."""
