"""Numbers and words read off pictures."""


def bars(figure):
    """By name of the trace and of the bar: its length."""
    found = {}
    for trace in figure.data:
        names, lengths = (trace.y, trace.x) if trace.orientation == "h" else (trace.x, trace.y)
        for name, length in zip(names, lengths, strict=True):
            found[trace.name, str(name)] = float(length)
    return found


def words(figure):
    return [item.text for item in figure.layout.annotations]
