"""DynamicResources: claims for devices.

Here is what decides whether it looks at a pod at all, its PreFilter, and what its PostFilter says. Its PreEnqueue,
Filter, Reserve and PreBind come with the storage work, as claims for devices and for volumes are alike; until then pods
with resource claims are placed as if every node would do, and a note says so.
"""
