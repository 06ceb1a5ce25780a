"""VolumeRestrictions: disks and ReadWriteOncePod claims that cannot be shared."""
