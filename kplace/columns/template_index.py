"""Templates by label: which ones a selector can match, without trying them all."""

from collections.abc import Collection, Sequence
from itertools import chain

from kplace.columns.selectors import Operator, Selector
from kplace.columns.templates import Template


class TemplateIndex:
    """Finds the few templates that a selector can match among very many.

    Parameters
    ----------
    templates : sequence of Template

    Notes
    -----
    Nearly every selector in use asks for one value of one label. Among thousands of workloads, each with a selector
    for its own pods, looking that pair up is what keeps the counting of groups from growing with the square of
    their number.
    """

    def __init__(self, templates: Sequence[Template]) -> None:
        self._all = range(len(templates))
        self._by_label: dict[tuple[str, str], list[int]] = {}
        self._by_namespace: dict[str, list[int]] = {}
        for template in templates:
            self._by_namespace.setdefault(template.namespace, []).append(template.code)
            for pair in template.labels.items():
                self._by_label.setdefault(pair, []).append(template.code)

    def candidates(self, selector: Selector, namespaces: Collection[str] | None = None) -> Collection[int]:
        """Codes of templates among which all those are that a selector matches.

        Parameters
        ----------
        selector : Selector
        namespaces : collection of str, optional
            Where the templates must be; None for anywhere.

        Returns
        -------
        collection of int
            Without doubles; most of them match, but each must still be asked.
        """
        if selector.nothing:
            return ()
        choices: list[list[list[int]]] = [
            [self._by_label[item.key, value] for value in item.values if (item.key, value) in self._by_label]
            for item in selector.requirements
            if item.operator is Operator.IN
        ]
        if namespaces is not None:
            choices.append([self._by_namespace[name] for name in namespaces if name in self._by_namespace])
        if not choices:
            return self._all
        smallest = min(choices, key=lambda postings: sum(map(len, postings)))
        return smallest[0] if len(smallest) == 1 else tuple(chain.from_iterable(smallest))
