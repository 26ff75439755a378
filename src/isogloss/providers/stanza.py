"""`stanza:LANG`: a stanza pipeline as recogniser, splitter and tokenizer.

Models are loaded from stanza's folder (the environment variable `STANZA_RESOURCES_DIR`); downloads need `--download`.
Texts are processed in bulk, those longer than `LONGEST` in pieces. A token that stands for several words (`du` for `de
le`) is one token.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from isogloss.errors import UsageError, import_extra
from isogloss.providers.models import ModelProvider, Span, annotate_in_pieces, make_missing_model_error
from isogloss.providers.specs import ProviderSettings, ProviderSpec

LONGEST = 200_000  # code points to pass to its tokenizer at once


def build_recogniser(spec: ProviderSpec, settings: ProviderSettings) -> ModelProvider:
    """Build a recogniser from its entities.

    Languages with several models may give several labels per span.
    """
    spec.check_options("labels")
    return _build_provider(spec, settings, "tokenize,ner", list_stanza_names)


def build_splitter(spec: ProviderSpec, settings: ProviderSettings) -> ModelProvider:
    """Build a splitter from its sentences."""
    spec.check_options()
    return _build_provider(spec, settings, "tokenize", list_stanza_sentences)


def build_tokenizer(spec: ProviderSpec, settings: ProviderSettings) -> ModelProvider:
    """Build a tokenizer from its tokens."""
    spec.check_options()
    return _build_provider(spec, settings, "tokenize", list_stanza_tokens)


def list_stanza_names(document: Any) -> list[Span]:
    """Return the entities of a document."""
    return [Span(name.start_char, name.end_char, name.type) for name in document.ents]


def list_stanza_sentences(document: Any) -> list[Span]:
    """Return the sentences of a document, from first to last token."""
    ends = ((sentence.tokens[0], sentence.tokens[-1]) for sentence in document.sentences if sentence.tokens)
    return [Span(first.start_char, last.end_char) for first, last in ends]


def list_stanza_tokens(document: Any) -> list[Span]:
    """Return the tokens of a document."""
    return [Span(token.start_char, token.end_char) for sentence in document.sentences for token in sentence.tokens]


def _build_provider(
    spec: ProviderSpec, settings: ProviderSettings, processors: str, list_spans: Callable[[Any], list[Span]]
) -> ModelProvider:
    language = spec.argument or settings.base_language

    def process_texts(pipeline: Any, texts: list[str]) -> list[list[Span]]:
        return [list_spans(document) for document in pipeline.bulk_process(texts)]

    def annotate(pipeline: Any, texts: Sequence[str]) -> list[list[Span]]:
        return annotate_in_pieces(texts, LONGEST, partial(process_texts, pipeline))

    return ModelProvider(spec.text, partial(_load_pipeline, spec, settings, language, processors), annotate)


def _load_pipeline(spec: ProviderSpec, settings: ProviderSettings, language: str, processors: str) -> Any:
    """Load the pipeline."""
    stanza = import_extra("stanza", spec.text, "stanza")
    unsupported = import_extra("stanza.pipeline.core", spec.text, "stanza").UnsupportedProcessorError
    method = stanza.DownloadMethod.REUSE_RESOURCES if settings.download else None
    try:
        return stanza.Pipeline(language, processors=processors, download_method=method, verbose=False)
    except (ValueError, unsupported) as error:  # an unknown language or processor
        example = f"{spec.kind}:uk"
        raise UsageError(f"In {spec.text!r}: {error}. Name a language that stanza has, such as {example}.") from error
    except FileNotFoundError as error:
        command = f"""python -c "import stanza; stanza.download('{language}')\""""
        raise make_missing_model_error(spec.text, language, command) from error
