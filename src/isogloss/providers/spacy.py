"""`spacy:NAME`: an installed pipeline of spaCy, or the folder of one, as recogniser, splitter and tokenizer.

Components that the role does not need are switched off, if the pipeline has only such as spaCy's own pipelines have;
with others (rulers, components of one's own) it runs whole, for a rule may ask for a part of speech. Texts longer than
`nlp.max_length` go through in pieces. With several jobs and more than one batch, `nlp.pipe` runs in several processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

from isogloss.errors import DataError, MissingExtraError
from isogloss.providers.models import ModelProvider, Span, checked, in_pieces, missing, unusable
from isogloss.providers.specs import Settings, Spec

NAMES = ("ner", "tok2vec", "transformer", "curated_transformer")
SENTENCES = ("senter", "parser", "sentencizer", "tok2vec", "transformer", "curated_transformer")
STANDARD = frozenset(
    (*NAMES, *SENTENCES, "tagger", "morphologizer", "attribute_ruler", "lemmatizer", "trainable_lemmatizer"),
)


def recogniser(spec: Spec, settings: Settings) -> ModelProvider:
    """Its entities, with their labels."""
    spec.only("labels")
    return _provider(spec, settings, NAMES, _names)


def splitter(spec: Spec, settings: Settings) -> ModelProvider:
    """Its sentences."""
    spec.only()
    return _provider(spec, settings, SENTENCES, _sentences)


def tokenizer(spec: Spec, settings: Settings) -> ModelProvider:
    """Its tokens; none of its components is needed."""
    spec.only()
    name = spec.needs_argument("NAME")

    def spans(nlp: Any, texts: Sequence[str]) -> list[list[Span]]:
        return [_tokens(doc) for doc in nlp.tokenizer.pipe(texts)]

    return ModelProvider(spec.text, partial(_opened, spec, settings, name), spans)


def _provider(
    spec: Spec,
    settings: Settings,
    needed: Iterable[str],
    spans: Callable[[Any], list[Span]],
) -> ModelProvider:
    name = spec.needs_argument("NAME")

    def opened() -> Any:
        nlp = _opened(spec, settings, name)
        _switch_off(nlp, needed)
        checked(spec.labels(), _labels(nlp), spec.text)
        if needed is SENTENCES and not set(nlp.pipe_names) & {"senter", "parser", "sentencizer"}:
            raise DataError(f"{spec.text} finds no sentences", remedy="Name a pipeline with a parser or a senter.")
        return nlp

    def piped(nlp: Any, texts: list[str]) -> list[list[Span]]:
        processes = min(settings.jobs, -(-len(texts) // settings.batch_size))
        docs = nlp.pipe(texts, batch_size=settings.batch_size, n_process=processes)
        return [spans(doc) for doc in docs]

    def annotate(nlp: Any, texts: Sequence[str]) -> list[list[Span]]:
        return in_pieces(texts, nlp.max_length, partial(piped, nlp))

    return ModelProvider(spec.text, opened, annotate)


def _opened(spec: Spec, settings: Settings, name: str) -> Any:
    """The pipeline, downloaded first if it must be and may be.

    Raises:
        MissingExtraError: spaCy is not installed.
        MissingModelError: the pipeline is not.
        DataError: the folder holds no pipeline.
    """
    try:
        import spacy  # noqa: PLC0415  an extra
    except ImportError as error:
        raise MissingExtraError(spec.text, "isogloss[spacy]") from error
    is_folder = Path(name).exists()
    if settings.download and not is_folder and not spacy.util.is_package(name):
        spacy.cli.download(name)
        invalidate_caches()
    try:
        return spacy.load(name)
    except (OSError, ValueError) as error:
        if is_folder or spacy.util.is_package(name):
            raise unusable(spec.text, name, error) from error
        raise missing(spec.text, name, f"python -m spacy download {name}") from error


def _switch_off(nlp: Any, needed: Iterable[str]) -> None:
    """Leaves only what is needed, in a pipeline of standard components."""
    if STANDARD.issuperset(nlp.component_names):
        if needed is SENTENCES and "senter" in nlp.component_names and "parser" not in nlp.pipe_names:
            nlp.enable_pipe("senter")
        for name in set(nlp.pipe_names) - set(needed):
            nlp.disable_pipe(name)


def _labels(nlp: Any) -> Iterable[str]:
    """The labels of its recogniser; none where other components may add more."""
    return nlp.pipe_labels.get("ner", ()) if STANDARD.issuperset(nlp.component_names) else ()


def _names(doc: Any) -> list[Span]:
    return [Span(name.start_char, name.end_char, name.label_ or None) for name in doc.ents]


def _sentences(doc: Any) -> list[Span]:
    return [Span(sentence.start_char, sentence.end_char) for sentence in doc.sents if len(sentence)]


def _tokens(doc: Any) -> list[Span]:
    return [Span(token.idx, token.idx + len(token)) for token in doc if not token.is_space]
