"""`transformers:PATH`: a token classification model of Hugging Face transformers as recogniser.

PATH is a folder with the model and its tokenizer, or the name of a model in the local cache; downloads need
`--download`. Options:

- `labels`: the labels that count as names, without `B-` and `I-`.
- `max_length`: number of tokens to pass to the model at once; by default the limit of tokenizer and model.
- `stride`: number of tokens that two windows of a long text share; by default a quarter of `max_length`.

Longer texts are split into windows, so that nothing is cut off. That requires a fast tokenizer, which also gives
offsets. A tag that continues no name begins one, as in the pipeline's aggregation strategy `simple`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from isogloss.errors import DataError, UsageError, import_extra
from isogloss.providers.models import ModelProvider, Span, check_labels, find_model_path, make_unusable_model_error
from isogloss.providers.specs import ProviderSettings, ProviderSpec

TASK = "token-classification"
LONGEST = 1_000_000  # a tokenizer without a limit reports a larger number
UNNAMED_PREFIX = "LABEL_"  # prefix of labels without names


def build_recogniser(spec: ProviderSpec, settings: ProviderSettings) -> ModelProvider:
    """Build a recogniser from its entity groups, with their labels."""
    spec.check_options("labels", "max_length", "stride")
    spec.require_argument("PATH")
    spec.parse_integer("max_length")
    spec.parse_integer("stride", minimum=0)

    def annotate(pipe: Any, texts: Sequence[str]) -> list[list[Span]]:
        return [_to_spans(answer) for answer in pipe(list(texts), batch_size=settings.batch_size)]

    return ModelProvider(spec.text, partial(_load_pipeline, spec, settings), annotate)


def _load_pipeline(spec: ProviderSpec, settings: ProviderSettings) -> Any:
    """Load the pipeline with windows."""
    import_extra("torch", spec.text, "transformers")  # transformers can be imported without it, but has no models then
    transformers = import_extra("transformers", spec.text, "transformers")
    tokenizer, model = _load_model(transformers, spec, download=settings.download)
    check_labels(spec.parse_labels(), _list_labels(spec, model.config.id2label.values()), spec.text)
    if not tokenizer.is_fast:
        raise DataError(
            f"the tokenizer of {spec.text} gives no offsets ({type(tokenizer).__name__} is not a fast one)",
            remedy="Convert it to a fast tokenizer (a file tokenizer.json beside the model), or choose another model.",
        )
    tokenizer.model_max_length = _choose_max_length(spec, tokenizer, model)
    return transformers.pipeline(
        TASK,
        model=model,
        tokenizer=tokenizer,
        aggregation_strategy="simple",
        stride=_choose_stride(spec, tokenizer),
    )


def _load_model(transformers: Any, spec: ProviderSpec, *, download: bool) -> tuple[Any, Any]:
    """Load tokenizer and model."""
    place = find_model_path(spec.text, spec.argument, "config.json", "transformers", download=download)
    offline = not download
    try:
        with _hide_progress_bars(transformers.utils.logging, show=download):
            config = transformers.AutoConfig.from_pretrained(place, local_files_only=offline)
            _check_trained(spec, config)
            tokenizer = transformers.AutoTokenizer.from_pretrained(place, local_files_only=offline)
            model = transformers.AutoModelForTokenClassification.from_pretrained(place, local_files_only=offline)
    except (OSError, ValueError) as error:
        raise make_unusable_model_error(spec.text, place, error) from error
    return tokenizer, model


@contextmanager
def _hide_progress_bars(logging: Any, *, show: bool) -> Iterator[None]:
    """Hide the library's progress bars, which it shows even for local models."""
    before = logging.is_progress_bar_enabled()
    if not show:
        logging.disable_progress_bar()
    try:
        yield
    finally:
        if before:
            logging.enable_progress_bar()


def _check_trained(spec: ProviderSpec, config: Any) -> None:
    """Refuse a model for another task.

    Such a model would get random weights and find names at random.
    """
    architectures = config.architectures or []
    if not any(name.endswith("ForTokenClassification") for name in architectures):
        raise DataError(
            f"{spec.text} is not trained to find names: it is a {', '.join(architectures) or config.model_type}",
            remedy="Choose a model whose architecture ends in ForTokenClassification.",
        )


def _list_labels(spec: ProviderSpec, tags: Iterable[str]) -> set[str]:
    """Return the labels of a model, from its tags."""
    labels = {tag[2:] if tag.startswith(("B-", "I-")) else tag for tag in tags} - {"O"}
    if spec.parse_labels() is None and any(label.startswith(UNNAMED_PREFIX) for label in labels):
        example = f"{spec.text.partition('?')[0]}?labels={UNNAMED_PREFIX}1"
        raise UsageError(f"The labels of {spec.text} have no names. Say which are names, as in {example}")
    return labels


def _choose_max_length(spec: ProviderSpec, tokenizer: Any, model: Any) -> int:
    """Return the number of tokens that fit into the model at once."""
    limits: list[int | None] = [spec.parse_integer("max_length"), tokenizer.model_max_length, _count_positions(model)]
    known = [limit for limit in limits if limit is not None and 0 < limit < LONGEST]
    if not known:
        raise UsageError(
            f"Neither the tokenizer nor the model of {spec.text} says how many tokens it takes at once. "
            "Add the option max_length=512, or another number",
        )
    return min(known)


def _count_positions(model: Any) -> int | None:
    """Return the number of token positions of the model.

    Some models reserve the first positions for padding.
    """
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and hasattr(module, "num_embeddings"):
            padding: int | None = module.padding_idx
            return int(module.num_embeddings) - (0 if padding is None else int(padding) + 1)
    places: int | None = getattr(model.config, "max_position_embeddings", None)
    return places


def _choose_stride(spec: ProviderSpec, tokenizer: Any) -> int:
    """Return the number of tokens that two windows share."""
    room = tokenizer.model_max_length - tokenizer.num_special_tokens_to_add()
    stride = spec.parse_integer("stride", tokenizer.model_max_length // 4, minimum=0)
    if stride is None or stride >= room:
        raise UsageError(f"In {spec.text!r}: a window has room for {room} tokens; stride={stride} must be less")
    return stride


def _to_spans(answer: Iterable[Any]) -> list[Span]:
    """Return the names of one text, skipping tokens without characters."""
    return [
        Span(int(name["start"]), int(name["end"]), name["entity_group"])
        for name in answer
        if name["start"] < name["end"]
    ]
