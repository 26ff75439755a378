"""Latin phrases that many languages use as they are. Single words are not among them: English has them, too."""

from __future__ import annotations

import re

PHRASES = """
    a posteriori|a priori|ab initio|ab ovo|ad absurdum|ad hoc|ad hominem|ad infinitum|ad interim|ad libitum|ad nauseam|
    ad rem|ad valorem|alea iacta est|alma mater|alter ego|ante meridiem|aqua vitae|ars longa|bona fide|carpe diem|
    casus belli|causa mortis|cogito ergo sum|conditio sine qua non|corpus delicti|cui bono|curriculum vitae|
    de facto|de iure|de jure|de novo|deus ex machina|divide et impera|e. g.|e.g.|ecce homo|errare humanum est|
    et al.|et alii|et cetera|et tu|ex ante|ex cathedra|ex libris|ex nihilo|ex officio|ex post|exempli gratia|
    festina lente|homo homini lupus|homo sapiens|honoris causa|i. e.|i.e.|id est|in absentia|in flagranti|
    in medias res|in memoriam|in natura|in situ|in silico|in spe|in statu nascendi|in toto|in vino veritas|in vitro|
    in vivo|inter alia|ipso facto|lapsus linguae|lex specialis|magna cum laude|magnum opus|manu propria|mea culpa|
    memento mori|modus operandi|modus vivendi|mutatis mutandis|non sequitur|nota bene|nulla poena sine lege|
    opus magnum|panem et circenses|pars pro toto|per aspera ad astra|per capita|per se|persona non grata|
    post factum|post hoc|post meridiem|post mortem|post scriptum|prima facie|primus inter pares|pro bono|pro forma|
    pro rata|quid pro quo|quo vadis|quod erat demonstrandum|rara avis|reductio ad absurdum|rigor mortis|sensu lato|
    sensu stricto|sic transit gloria mundi|sine qua non|status quo|stricto sensu|sub rosa|sui generis|summa summarum|
    tabula rasa|terra incognita|ultima ratio|urbi et orbi|vade mecum|veni, vidi, vici|verba volant|vice versa|
    vox populi
"""
LETTER_AFTER = re.compile(r"\w")


def _by_first_word() -> dict[str, tuple[str, ...]]:
    """Phrases of two words or more by their first, the longest first."""
    phrases = [phrase.strip() for phrase in PHRASES.replace("\n", " ").split("|")]
    heads: dict[str, list[str]] = {}
    for phrase in sorted(phrases, key=len, reverse=True):
        heads.setdefault(re.split(r"[ .,]", phrase, maxsplit=1)[0], []).append(phrase)
    return {head: tuple(rest) for head, rest in heads.items()}


HEADS = _by_first_word()


def phrase_at(text: str, start: int, head: str) -> int | None:
    """Where a phrase ends that begins at a place in the text with this word in lower case; None if there is none."""
    for phrase in HEADS.get(head, ()):
        end = start + len(phrase)
        if text[start:end].lower() == phrase and not (phrase[-1] != "." and LETTER_AFTER.match(text, end)):
            return end
    return None
