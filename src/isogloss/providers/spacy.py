"""`spacy:NAME`: spaCy pipelines as recognisers, splitters and tokenizers.

NAME is an installed spaCy pipeline, or a folder with one.

Components that the role does not need are disabled if the pipeline has only components of spaCy's own pipelines. With
others (rulers, custom components) it runs completely, because a rule may need a part of speech. Texts longer than
`nlp.max_length` are split into pieces. With several jobs and more than one batch, `nlp.pipe` uses several processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

from isogloss.errors import DataError, import_extra
from isogloss.providers.models import (
    ModelProvider,
    Span,
    annotate_in_pieces,
    check_labels,
    make_missing_model_error,
    make_network_error,
    make_unusable_model_error,
)
from isogloss.providers.specs import ProviderSettings, ProviderSpec

NER_COMPONENTS = ("ner", "tok2vec", "transformer", "curated_transformer")
SENTENCE_COMPONENTS = ("senter", "parser", "sentencizer", "tok2vec", "transformer", "curated_transformer")
STANDARD_COMPONENTS = frozenset(
    (
        *NER_COMPONENTS,
        *SENTENCE_COMPONENTS,
        "tagger",
        "morphologizer",
        "attribute_ruler",
        "lemmatizer",
        "trainable_lemmatizer",
    ),
)


def build_recogniser(spec: ProviderSpec, settings: ProviderSettings) -> ModelProvider:
    """Build a recogniser from its entities, with their labels."""
    spec.check_options("labels")
    return _build_provider(spec, settings, NER_COMPONENTS, _list_names)


def build_splitter(spec: ProviderSpec, settings: ProviderSettings) -> ModelProvider:
    """Build a splitter from its sentences."""
    spec.check_options()
    return _build_provider(spec, settings, SENTENCE_COMPONENTS, _list_sentences)


def build_tokenizer(spec: ProviderSpec, settings: ProviderSettings) -> ModelProvider:
    """Build a tokenizer from its tokenizer, without any component."""
    spec.check_options()
    name = spec.require_argument("NAME")

    def find_tokens(nlp: Any, texts: Sequence[str]) -> list[list[Span]]:
        return [_list_tokens(doc) for doc in nlp.tokenizer.pipe(texts)]

    return ModelProvider(spec.text, partial(_load_pipeline, spec, settings, name), find_tokens)


def _build_provider(
    spec: ProviderSpec,
    settings: ProviderSettings,
    needed: Iterable[str],
    list_spans: Callable[[Any], list[Span]],
) -> ModelProvider:
    name = spec.require_argument("NAME")

    def open_pipeline() -> Any:
        nlp = _load_pipeline(spec, settings, name)
        _disable_components(nlp, needed)
        check_labels(spec.parse_labels(), _list_labels(nlp), spec.text)
        if needed is SENTENCE_COMPONENTS and not set(nlp.pipe_names) & {"senter", "parser", "sentencizer"}:
            raise DataError(
                f"{spec.text} finds no sentences: its pipeline has neither a parser nor a senter nor a sentencizer",
                remedy="Name a pipeline with one of them, or leave --splitter out: sentencex needs no pipeline.",
            )
        return nlp

    def pipe_texts(nlp: Any, texts: list[str]) -> list[list[Span]]:
        processes = min(settings.jobs, -(-len(texts) // settings.batch_size))
        docs = nlp.pipe(texts, batch_size=settings.batch_size, n_process=processes)
        return [list_spans(doc) for doc in docs]

    def annotate(nlp: Any, texts: Sequence[str]) -> list[list[Span]]:
        return annotate_in_pieces(texts, nlp.max_length, partial(pipe_texts, nlp))

    return ModelProvider(spec.text, open_pipeline, annotate)


def _load_pipeline(spec: ProviderSpec, settings: ProviderSettings, name: str) -> Any:
    """Load the pipeline, after downloading it if necessary and allowed."""
    spacy = import_extra("spacy", spec.text, "spacy")
    is_folder = Path(name).exists()
    if settings.download and not is_folder and not spacy.util.is_package(name):
        try:
            spacy.cli.download(name)
        except SystemExit as error:  # spaCy ends the process if pip fails
            raise make_network_error(spec.text, f"spacy download ends with exit code {error.code}") from error
        invalidate_caches()
    try:
        return spacy.load(name)
    except (OSError, ValueError) as error:
        if is_folder or spacy.util.is_package(name):
            raise make_unusable_model_error(spec.text, name, error) from error
        raise make_missing_model_error(spec.text, name, f"python -m spacy download {name}") from error


def _disable_components(nlp: Any, needed: Iterable[str]) -> None:
    """Disable the components that are not needed.

    This is done in a pipeline of standard components only.
    """
    if STANDARD_COMPONENTS.issuperset(nlp.component_names):
        if needed is SENTENCE_COMPONENTS and "senter" in nlp.component_names and "parser" not in nlp.pipe_names:
            nlp.enable_pipe("senter")
        for name in set(nlp.pipe_names) - set(needed):
            nlp.disable_pipe(name)


def _list_labels(nlp: Any) -> Iterable[str]:
    """Return the labels of the pipeline's recogniser.

    The result is empty if other components may add more labels.
    """
    return nlp.pipe_labels.get("ner", ()) if STANDARD_COMPONENTS.issuperset(nlp.component_names) else ()


def _list_names(doc: Any) -> list[Span]:
    return [Span(name.start_char, name.end_char, name.label_ or None) for name in doc.ents]


def _list_sentences(doc: Any) -> list[Span]:
    return [Span(sentence.start_char, sentence.end_char) for sentence in doc.sents if len(sentence)]


def _list_tokens(doc: Any) -> list[Span]:
    return [Span(token.idx, token.idx + len(token)) for token in doc if not token.is_space]
