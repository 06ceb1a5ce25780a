"""VolumeZone: volumes that are tied to a zone.

Here is what decides whether it looks at a pod at all, its PreFilter. Its Filter comes with the storage work;
until then pods with volumes are placed as if every node would do, and a note says so.
"""
