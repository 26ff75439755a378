"""Faults in annotations of named entities.

    kind                  what
    outside-text          a span that begins before its text, ends after it, or has no extent
    other-text            a span whose own text, which stands beside its offsets, is elsewhere
    unlocated             a name that is not in its text, where names have no offsets
    misfit-tag            a tag that does not fit its scheme, or that the scheme does not have
    cut-cluster           a span that begins or ends inside a grapheme cluster: inside a character, as readers see it
    cut-word              one that begins or ends inside a word, where a script writes words apart
    edge-space            one with white space or an invisible character at an end
    edge-punctuation      one with punctuation at an end that seems not to belong to the name
    duplicate-span        a span that stands twice, with one label
    overlap               a span that overlaps another
    empty-document        a document without text
    duplicate-document    a document whose id or text stands before
    conflicting-document  a document whose text stands before, with other spans
    label-conflict        a name with several labels
    label-case            labels that differ only by case

None of them makes a file unreadable, as offsets are not checked on the way, and most may be meant: Hungarian writes
endings to names, some corpora are nested. A name is the text of a span as it stands. Words are not looked at in Korean,
which writes particles to names, nor in scripts without spaces. Tags are decoded as for scores, with the repair `begin`;
those that the scheme does not have count as O.

Documents are read one after the other. Kept are the names with their labels, the ids, a number for each text, and the
first faults of each kind.
"""

from isogloss.lint.ner.faults import KINDS, Fault, Report, check_kinds, drawn, to_json
from isogloss.lint.ner.file import check

__all__ = ["KINDS", "Fault", "Report", "check", "check_kinds", "drawn", "to_json"]
