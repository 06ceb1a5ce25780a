"""VolumeBinding: binding claims to volumes."""
