"""Texts cut into words, in all the ways in which people write that down.

A *sample* is a line, a sentence, a row or a Python list: a text and its words. Whatever the format, it becomes the same
thing: the code points of the text and a mark at each that begins a word (`Segmented`). Reference and prediction may be
in different formats; their samples are paired by order, and their texts are compared before anything is scored.
"""

from isogloss.formats.segmentation.canonical import ALIGNMENTS
from isogloss.formats.segmentation.detection import NAMES, detected
from isogloss.formats.segmentation.encoding import POLICIES
from isogloss.formats.segmentation.lists import read_lists
from isogloss.formats.segmentation.pairing import ON_MISMATCH, Pairing, word_pairs
from isogloss.formats.segmentation.reader import Reading, read
from isogloss.formats.segmentation.segmented import Segmented
from isogloss.formats.segmentation.sentences import sentence_pairs

__all__ = [
    "ALIGNMENTS",
    "NAMES",
    "ON_MISMATCH",
    "POLICIES",
    "Pairing",
    "Reading",
    "Segmented",
    "detected",
    "read",
    "read_lists",
    "sentence_pairs",
    "word_pairs",
]
