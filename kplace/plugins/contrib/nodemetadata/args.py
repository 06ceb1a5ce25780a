"""Arguments of NodeMetadata."""

from collections.abc import Iterator
from dataclasses import dataclass

RFC3339 = "2006-01-02T15:04:05Z07:00"
LABEL, ANNOTATION = "Label", "Annotation"
NUMBER, TIMESTAMP = "Number", "Timestamp"
HIGHEST, LOWEST, NEWEST, OLDEST = "Highest", "Lowest", "Newest", "Oldest"


@dataclass(frozen=True, slots=True)
class NodeMetadataArgs:
    """``NodeMetadataArgs``.

    Attributes
    ----------
    metadata_key : str
        Name of the label or annotation.
    metadata_source : str
        ``Label`` or ``Annotation``.
    metadata_type : str
        ``Number`` or ``Timestamp``.
    scoring_strategy : str
        ``Highest`` or ``Lowest`` of numbers, ``Newest`` or ``Oldest`` of timestamps.
    timestamp_format : str
        How a timestamp is written, as a layout of Go's package ``time``.
    """

    metadata_key: str = ""
    metadata_source: str = ""
    metadata_type: str = ""
    scoring_strategy: str = ""
    timestamp_format: str = RFC3339

    def check(self) -> Iterator[tuple[str, str]]:
        """Say what is wrong (``ValidateNodeMetadataArgs``)."""
        strategy = self.scoring_strategy
        if not self.metadata_key:
            yield "metadata_key", "metadataKey cannot be empty"
        if self.metadata_source not in (LABEL, ANNOTATION):
            yield "metadata_source", 'metadataSource must be either "Label" or "Annotation"'
        if self.metadata_type not in (NUMBER, TIMESTAMP):
            yield "metadata_type", 'metadataType must be either "Number" or "Timestamp"'
        if strategy not in (HIGHEST, LOWEST, NEWEST, OLDEST):
            detail = 'scoringStrategy must be one of "Highest", "Lowest", "Newest", or "Oldest"'
            yield "scoring_strategy", detail
        if self.metadata_type == NUMBER and strategy in (NEWEST, OLDEST):
            detail = 'scoringStrategy "Newest" and "Oldest" are only valid for metadataType "Timestamp"'
            yield "scoring_strategy", detail
        if self.metadata_type == TIMESTAMP and strategy in (HIGHEST, LOWEST):
            detail = 'scoringStrategy "Highest" and "Lowest" are only valid for metadataType "Number"'
            yield "scoring_strategy", detail
