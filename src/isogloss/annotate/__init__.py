"""Texts to sentences, tokens and what excuses foreign ones: all that code-switching counts, and all that needs models.

    rows of texts ──Joined──▶ code points ──Cutter──▶ sentences, tokens ──Finder, recognisers──▶ AnnotatedTexts

Work is done in this order, because most sentences have no foreign token: rules look only at stretches with such a
token, and names are asked for only in sentences whose verdict they can change.
"""

from isogloss.annotate.annotator import Annotator
from isogloss.annotate.cutting import Cutter
from isogloss.annotate.joined import Joined
from isogloss.annotate.lines import Identifier, identifier
from isogloss.annotate.names import Names

__all__ = ["Annotator", "Cutter", "Identifier", "Joined", "Names", "identifier"]
