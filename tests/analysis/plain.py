"""Metrics once more, node by node in plain Python: what the vectorised ones are held against."""

import math
from collections import defaultdict


def rows(frame):
    return frame.to_dict("records")


def utilisation(nodes, key, ending):
    sums = defaultdict(lambda: [0, 0])
    for node in rows(nodes):
        sums[node[key]][0] += node[f"requested_{ending}"]
        sums[node[key]][1] += node[f"allocatable_{ending}"]
    return {name: used / offered if offered else math.nan for name, (used, offered) in sums.items()}


def gini(values):
    total = sum(abs(one - other) for one in values for other in values)
    return total / (2 * len(values) ** 2 * (sum(values) / len(values)))


def fewest(nodes, endings):
    best = 0
    for ending in endings:
        wanted = sum(node[f"requested_{ending}"] for node in rows(nodes))
        sizes = sorted((node[f"allocatable_{ending}"] for node in rows(nodes)), reverse=True)
        number = 0
        while wanted > 0 and number < len(sizes):
            wanted -= sizes[number]
            number += 1
        best = max(best, number)
    return best


def stranded(nodes, ending, needs):
    lost = 0
    for node in rows(nodes):
        if node["unschedulable"]:
            continue
        others = [f"free_{other}" for other in needs if other != ending]
        if node["free_pods"] < 1 or any(node[name] < needs[name.removeprefix("free_")] for name in others):
            lost += max(node[f"free_{ending}"], 0)
    return lost


def fits(nodes, shape):
    total = 0
    for node in rows(nodes):
        free = {ending: node[f"free_{ending}"] for ending in shape}
        slots = node["free_pods"]
        while not node["unschedulable"] and slots > 0 and all(free[name] >= amount for name, amount in shape.items()):
            slots -= 1
            total += 1
            free = {name: free[name] - amount for name, amount in shape.items()}
    return total


def fragmentation(nodes, mix, devices):
    """FGD's measure: ``devices`` maps a node's name to what is left on each of its devices."""
    weight = sum(kind["weight"] for kind in mix)
    lost = 0.0
    for node in rows(nodes):
        free = devices[node["node"]]
        for kind in mix:
            fitting = [left for left in free if left >= kind["gpu_milli"]]
            runs = (
                kind["gpus"] > 0
                and node["free_cpu_milli"] >= kind["requested_cpu_milli"]
                and node["free_memory_bytes"] >= kind["requested_memory_bytes"]
                and len(fitting) >= kind["gpus"]
            )
            unused = sum(left for left in free if left < kind["gpu_milli"]) if runs else sum(free)
            lost += kind["weight"] / weight * unused
    return lost
