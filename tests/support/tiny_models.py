"""Real models of Hugging Face transformers, small enough to be made in a test, with weights set by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def token_classifier(folder: Path, tags: Mapping[str, str], *, max_length: int = 16, stated: bool = True) -> Path:
    """A BERT that gives each known word its tag wherever it stands, and `O` to all others; saved with its tokenizer.

    The layers add nothing to the embedding of a word, and the classifier reads the tag from it.

    Args:
        folder: where to save it.
        tags: word to tag, such as `B-PER`.
        max_length: tokens of a window, with `[CLS]` and `[SEP]`.
        stated: whether the tokenizer states `max_length`; the model has as many places in any case.
    """
    import torch  # noqa: PLC0415  transformers can be imported without, and then has no models
    from transformers import BertConfig, BertForTokenClassification  # noqa: PLC0415  an extra

    names = ["O", *sorted(set(tags.values()))]
    vocabulary = [*SPECIAL, *tags]
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=8 * len(names),
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=max_length,
        id2label=dict(enumerate(names)),
        label2id={name: number for number, name in enumerate(names)},
    )
    model = BertForTokenClassification(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        for name, parameter in model.named_parameters():
            if name.endswith("LayerNorm.weight"):
                parameter.fill_(1)
        for number, word in enumerate(vocabulary):
            tag = names.index(tags.get(word, "O"))
            model.bert.embeddings.word_embeddings.weight[number, 8 * tag] = 1
        for tag in range(len(names)):
            model.classifier.weight[tag, 8 * tag] = 1
    model.save_pretrained(folder)
    tokenizer(vocabulary, max_length if stated else None).save_pretrained(folder)
    return folder


def tokenizer(vocabulary: Sequence[str], max_length: int | None) -> Any:
    """A fast tokenizer that cuts at whitespace and punctuation, and knows these words."""
    from tokenizers import Tokenizer  # noqa: PLC0415  an extra
    from tokenizers.models import WordLevel  # noqa: PLC0415
    from tokenizers.pre_tokenizers import BertPreTokenizer  # noqa: PLC0415
    from tokenizers.processors import TemplateProcessing  # noqa: PLC0415
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415

    words = Tokenizer(WordLevel({word: number for number, word in enumerate(vocabulary)}, unk_token="[UNK]"))
    words.pre_tokenizer = BertPreTokenizer()
    marks = [(mark, vocabulary.index(mark)) for mark in ("[CLS]", "[SEP]")]
    words.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=marks)
    limit = {} if max_length is None else {"model_max_length": max_length}
    return PreTrainedTokenizerFast(
        tokenizer_object=words,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        **limit,
    )
