"""NodeMetadata node by node, after scheduler-plugins' Go."""

INVALID = -(2**63)


def normalized(scores: list[int]) -> list[int]:
    valid = [score for score in scores if score != INVALID]
    if not valid:
        return [0] * len(scores)
    lowest, highest = min(valid), max(valid)
    found = []
    for score in scores:
        if score == INVALID:
            found.append(0)
        elif highest == lowest:
            found.append(1)
        else:
            found.append((score - lowest) * 99 // (highest - lowest) + 1)
    return found
