"""The search for feasible nodes, step by step."""


def wanted(n_nodes: int, percentage: int) -> int:
    if n_nodes < 100:
        return n_nodes
    if percentage == 0:
        percentage = 50 - n_nodes // 125
        if percentage < 5:
            percentage = 5
    number = n_nodes * min(percentage, 100) // 100
    return number if number >= 100 or percentage >= 100 else 100


def search(nodes: list[str], passing: set[str], start: int, want: int) -> tuple[list[str], int]:
    """Feasible nodes in the order they are found, and the number of nodes that counted as visited."""
    turned = nodes[start:] + nodes[:start]
    found: list[str] = []
    for position, node in enumerate(turned):
        if node in passing and len(found) == want:
            return found, position
        if node in passing:
            found.append(node)
    return found, len(turned)
