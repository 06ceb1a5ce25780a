"""VolumeZone: volumes that are tied to a zone or a region by their labels."""
