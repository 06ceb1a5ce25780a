"""The arithmetic of node resources, one node at a time, in whole numbers and fractions.

A use is a triple of what would be used with the pod, what there is, and the weight.
"""

from fractions import Fraction
from itertools import pairwise
from math import floor, sqrt

Use = tuple[int, int, int]


def lacking(request: dict[str, int], node: dict, requested: dict[str, int], pods: int) -> tuple[list[str], str]:
    """Reasons why a pod does not fit and the status code; ``node`` holds allocatable amounts, pods among them."""
    reasons = ["Too many pods"] if pods + 1 > node.get("pods", 0) else []
    short = [
        name for name, amount in request.items() if amount > 0 and amount > node.get(name, 0) - requested.get(name, 0)
    ]
    never = any(request[name] > node.get(name, 0) for name in short)
    reasons += [f"Insufficient {name}" for name in short]
    if not reasons:
        return [], "Success"
    return reasons, "UnschedulableAndUnresolvable" if never else "Unschedulable"


def least_allocated(uses: list[Use]) -> int:
    return mean([(0 if used > there else (there - used) * 100 // there, weight) for used, there, weight in some(uses)])


def most_allocated(uses: list[Use]) -> int:
    return mean([(min(used, there) * 100 // there, weight) for used, there, weight in some(uses)])


def capacity_ratio(uses: list[Use], shape: list[tuple[int, int]]) -> int:
    """The shape's scores are from 0 to 10."""
    scores = []
    for used, there, weight in some(uses):
        score = on_line(shape, 100 if used > there else used * 100 // there)
        if score > 0:
            scores.append((score, weight))
    if not scores:
        return 0
    exact = Fraction(sum(score * weight for score, weight in scores), sum(weight for _, weight in scores))
    return floor(exact + Fraction(1, 2))


def on_line(shape: list[tuple[int, int]], x: int) -> int:
    points = [(at, 10 * score) for at, score in shape]
    if x <= points[0][0]:
        return points[0][1]
    for (left, low), (right, high) in pairwise(points):
        if x <= right:
            return low + int(Fraction((high - low) * (x - left), right - left))  # int() cuts off towards zero
    return points[-1][1]


def balanced(uses: list[Use]) -> int:
    shares = [min(1.0, float(used) / float(there)) for used, there, _ in some(uses)]
    deviation = 0.0
    if len(shares) == 2:
        deviation = abs((shares[0] - shares[1]) / 2)
    elif len(shares) > 2:
        total = 0.0
        for share in shares:
            total += share
        average = total / float(len(shares))
        squares = 0.0
        for share in shares:
            squares += (share - average) * (share - average)
        deviation = sqrt(squares / float(len(shares)))
    return int((1 - deviation) * 100.0)


def some(uses: list[Use]) -> list[Use]:
    """Only resources that the node has at all."""
    return [use for use in uses if use[1] > 0]


def mean(scores: list[tuple[int, int]]) -> int:
    weights = sum(weight for _, weight in scores)
    return sum(score * weight for score, weight in scores) // weights if weights else 0
