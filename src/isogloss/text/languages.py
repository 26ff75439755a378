"""Codes of languages in two letters and in three.

ISO 639-1 has two letters, ISO 639-2 and 639-3 three; some languages have two codes in ISO 639-2 (`deu` and `ger`).
Languages without a code of two letters keep theirs.
"""

from __future__ import annotations

from functools import cache, lru_cache

# Each code of ISO 639-1 with its codes of three letters.
THREE_LETTERS = """
aa aar|ab abk|ae ave|af afr|ak aka|am amh|an arg|ar ara|as asm|av ava|ay aym|az aze|ba bak|be bel|bg bul|bi bis|bm bam
bn ben|bo bod tib|br bre|bs bos|ca cat|ce che|ch cha|co cos|cr cre|cs ces cze|cu chu|cv chv|cy cym wel|da dan
de deu ger|dv div|dz dzo|ee ewe|el ell gre|en eng|eo epo|es spa|et est|eu eus baq|fa fas per|ff ful|fi fin|fj fij
fo fao|fr fra fre|fy fry|ga gle|gd gla|gl glg|gn grn|gu guj|gv glv|ha hau|he heb|hi hin|ho hmo|hr hrv|ht hat|hu hun
hy hye arm|hz her|ia ina|id ind|ie ile|ig ibo|ii iii|ik ipk|io ido|is isl ice|it ita|iu iku|ja jpn|jv jav|ka kat geo
kg kon|ki kik|kj kua|kk kaz|kl kal|km khm|kn kan|ko kor|kr kau|ks kas|ku kur|kv kom|kw cor|ky kir|la lat|lb ltz
lg lug|li lim|ln lin|lo lao|lt lit|lu lub|lv lav|mg mlg|mh mah|mi mri mao|mk mkd mac|ml mal|mn mon|mr mar|ms msa may
mt mlt|my mya bur|na nau|nb nob|nd nde|ne nep|ng ndo|nl nld dut|nn nno|no nor|nr nbl|nv nav|ny nya|oc oci|oj oji|om orm
or ori|os oss|pa pan|pi pli|pl pol|ps pus|pt por|qu que|rm roh|rn run|ro ron rum|ru rus|rw kin|sa san|sc srd|sd snd
se sme|sg sag|sh hbs|si sin|sk slk slo|sl slv|sm smo|sn sna|so som|sq sqi alb|sr srp|ss ssw|st sot|su sun|sv swe|sw swa
ta tam|te tel|tg tgk|th tha|ti tir|tk tuk|tl tgl|tn tsn|to ton|tr tur|ts tso|tt tat|tw twi|ty tah|ug uig|uk ukr|ur urd
uz uzb|ve ven|vi vie|vo vol|wa wln|wo wol|xh xho|yi yid|yo yor|za zha|zh zho chi|zu zul
"""


@lru_cache(maxsize=4096)
def shorten_language_code(code: str) -> str:
    """Return the two-letter code for a code of three letters.

    Case does not count. Every other name stays as it is, and so does the script or region after a code.

    Args:
        code: such as `eng`, `zho_Hant` or `other`.

    Examples:
        >>> shorten_language_code("ENG"), shorten_language_code("zho-Hant"), shorten_language_code("other")
        ('en', 'zh-Hant', 'other')
    """
    at = next((place for place, letter in enumerate(code) if letter in "-_"), len(code))
    short = _load_codes().get(code[:at].lower())
    return code if short is None else short + code[at:]


@cache
def _load_codes() -> dict[str, str]:
    entries = (entry.split() for line in THREE_LETTERS.split("\n") for entry in line.split("|"))
    return {long: short for short, *longs in filter(None, entries) for long in longs}
