"""Reading a configuration: from a file's bytes through all stages."""

from dataclasses import replace

from kplace.config.catalogue import Catalogue
from kplace.config.decode import Header, decode_configuration, decode_internal, is_of_the_group, read_header, read_v1
from kplace.config.document import (
    Document,
    Text,
    decoded_text,
    find_configuration,
    find_template,
    has_more_documents,
    parse,
    with_version,
)
from kplace.config.faulting import Faults, without_source
from kplace.config.misfits import Misfit, suggestion
from kplace.config.nodes import TextError, line_of
from kplace.config.older.read import can_read, read_older
from kplace.config.options import Options
from kplace.config.reading import Reading, Stage, StageError
from kplace.config.stages import Outcome, run_stages
from kplace.config.wire import INTERNAL, KIND, V1

_NOTE_STRICT = "kube-scheduler stops at unknown and repeated fields; the rest is what would come of it without them"


def read_configuration(
    data: bytes, catalogue: Catalogue, *, source: str = "<config>", options: Options | None = None
) -> Reading:
    """Read a scheduler configuration as kube-scheduler v1.34 does.

    Parameters
    ----------
    data : bytes
        A KubeSchedulerConfiguration as YAML or JSON, or a manifest with a ConfigMap that holds one.
    catalogue : Catalogue
        The plugins that it may name.
    source : str
        The file's name, for messages.
    options : Options, optional

    Returns
    -------
    Reading
        Whatever is wrong with the file is in it; `Reading.require` raises it.
    """
    return _Reader(catalogue, source, options or Options()).read(data)


class _Reader:
    def __init__(self, catalogue: Catalogue, source: str, options: Options) -> None:
        self._catalogue = catalogue
        self._source = source
        self._options = options

    def read(self, data: bytes) -> Reading:
        text = Text("")
        try:
            text = Text(decoded_text(data))
            text = find_configuration(text.content)
            document = parse(text.content)
            header = read_header(document.root)
        except TextError as error:
            return self._refused(text, find_template(text.content) or error)
        faults = Faults(self._source, text, document.root)
        if self._options.read_as_v1 and header.kind == KIND and is_of_the_group(header):
            document = with_version(document, header.api_version, V1)
            header = Header(V1, KIND)
        if header.kind != KIND or header.api_version not in {V1, INTERNAL}:
            return _with_note(self._foreign(document, header, faults), text, document)
        reading = self._known(document, header.api_version, faults)
        return _with_note(reading, text, document)

    def _refused(self, text: Text, error: TextError) -> Reading:
        faults = Faults(self._source, text)
        fault = faults.of_text(error)
        return Reading(self._source, (StageError(Stage.DECODE, without_source(fault)),), faults=faults.all)

    def _known(self, document: Document, api_version: str, faults: Faults) -> Reading:
        if api_version == V1:
            decoded = decode_configuration(document, read_v1, self._catalogue, {V1})
        else:
            decoded = decode_internal(document)
        outcome = run_stages(
            decoded,
            self._catalogue,
            self._options.gates,
            faults,
            api_version=api_version,
            allow_unknown_plugins=self._options.allow_unknown_plugins,
        )
        return _reading(self._source, outcome, faults, api_version)

    def _foreign(self, document: Document, header: Header, faults: Faults) -> Reading:
        """Refuse what kube-scheduler does not read, but read it by the rules of its time if it had any."""
        assert faults.root is not None
        if header.api_version == V1:
            field, meant = "kind", suggestion(header.kind, [KIND])
            message = f"expected {KIND}, got {header.kind}{meant}"
        else:
            field = "apiVersion"
            message = f"kube-scheduler 1.34 reads {V1} only, not a {header.kind} of {header.api_version}"
        is_older = can_read(header)
        told = Faults(self._source, faults.text, faults.root) if is_older else faults
        fault = told.of_misfit(Misfit(line_of(faults.root, field), field, message, True))
        error = StageError(Stage.DECODE, without_source(fault))
        if is_older:
            return read_older(document, header, self._catalogue, self._options, faults, error)
        return Reading(self._source, (error,), faults=faults.all)


def _reading(source: str, outcome: Outcome, faults: Faults, api_version: str) -> Reading:
    is_decoded = outcome.defaulted is not None
    is_strict = bool(outcome.errors) and outcome.errors[0].stage is Stage.DECODE_STRICT
    return Reading(
        source=source,
        errors=outcome.errors,
        later_errors=outcome.later,
        faults=faults.all,
        configuration=outcome.configuration,
        api_version=api_version if is_decoded else "",
        note=_NOTE_STRICT if is_strict else "",
        defaulted=outcome.defaulted,
        built=outcome.built,
        unknown_plugins=outcome.unknown_plugins,
        stand_ins=outcome.stand_ins,
    )


def _with_note(reading: Reading, text: Text, document: Document) -> Reading:
    if reading.configuration is None or document.is_json or not has_more_documents(text.content):
        return reading
    note = "only the first document of the file is read, as kube-scheduler does"
    notes = (*reading.configuration.notes, note)
    return replace(reading, configuration=replace(reading.configuration, notes=notes))
