"""VolumeBinding: binding claims to volumes.

Here is what decides whether it looks at a pod at all, its PreFilter. Its Filter, Reserve, PreBind and its Score by free
storage come with the storage work; until then pods with volumes are placed as if every node would do, and a note says
so.
"""
