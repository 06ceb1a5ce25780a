"""DynamicResources: claims for devices.

Here is what decides whether it looks at a pod at all, its PreFilter, and what its PostFilter says. Devices are not
modelled: pods with resource claims are placed as if every node had what they claim, and a note says so.
"""
