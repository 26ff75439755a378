"""Find the language of each token with an identifier.

A function, also one of `python:module:function`, gets the tokens of an utterance, so it may look at their context. The
identifiers of libraries see one token at a time, so each token is identified once; a token without letters has no
language.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from isogloss.errors import DataError, IsoglossError, UsageError
from isogloss.providers import LanguageIdentifier, open_identifier

OWN_FUNCTION = "python:"
MAX_CACHED = 1 << 18  # tokens


@dataclass(frozen=True, eq=False)
class TokenIdentifier:
    """Finds the languages of tokens.

    Args:
        identify: takes a list of tokens, and returns a language or None for each.
        sees_utterances: whether the function gets all tokens of an utterance; else each token is looked up once.
    """

    identify: Callable[[list[str]], Any]
    sees_utterances: bool = True
    _known: dict[str, str | None] = field(default_factory=dict, repr=False)

    @classmethod
    def open(cls, given: Any) -> TokenIdentifier:
        """Open what the option `identifier` names.

        Args:
            given: a function, a spec such as `lingua`, or an identifier that is loaded.

        Raises:
            UsageError: if it is something else, or there is no such kind of identifier.
            MissingExtraError: if the library is not installed.
            MissingModelError: if there is no such model.
        """
        if isinstance(given, str | LanguageIdentifier):
            opened = open_identifier(given)
            if opened.name.startswith(OWN_FUNCTION):
                return cls(opened.open_model())
            return cls(opened.identify, sees_utterances=False)
        if not callable(given):
            raise UsageError(
                f"identifier must be a function, or a spec such as lingua; it is of type {type(given).__name__}."
            )
        return cls(given)

    def find_languages(self, tokens: Sequence[str], where: str) -> list[str | None]:
        """Return the language of each token of an utterance.

        Args:
            tokens: the tokens.
            where: place of the utterance.

        Raises:
            DataError: if the identifier fails, or its answer has the wrong form.
        """
        if self.sees_utterances:
            return identify_tokens(self.identify, tokens, where)
        known = self._known
        new = [token for token in dict.fromkeys(tokens) if token not in known and any(map(str.isalpha, token))]
        if len(known) + len(new) > MAX_CACHED:
            known.clear()
            new = [token for token in dict.fromkeys(tokens) if any(map(str.isalpha, token))]
        known.update(zip(new, identify_tokens(self.identify, new, where), strict=True))
        return [known.get(token) for token in tokens]


def identify_tokens(identify: Callable[[list[str]], Any], tokens: Sequence[str], where: str) -> list[str | None]:
    """Return the languages that a function finds.

    Args:
        identify: takes the tokens of an utterance, and returns a language or None for each.
        tokens: the tokens.
        where: place of the utterance.

    Raises:
        DataError: if the function fails, or its answer has the wrong form.
    """
    if not tokens:
        return []
    try:
        answer = list(identify(list(tokens)))
    except IsoglossError:
        raise
    except Exception as error:
        raise DataError(
            f"the identifier fails: {type(error).__name__}: {error}",
            where=where,
            detail=f"Its tokens begin with {tokens[0]!r}.",
            remedy="Repair the function; it gets the tokens of one utterance as a list of strings.",
        ) from error
    wrong = next((each for each in answer if each is not None and not isinstance(each, str)), None)
    if wrong is not None or len(answer) != len(tokens):
        what = f"{wrong!r} as a language" if wrong is not None else f"{len(answer)} languages for {len(tokens)} tokens"
        remedy = "It must return a string or None for each token, in order."
        raise DataError(f"the identifier returns {what}", where=where, remedy=remedy)
    return answer
