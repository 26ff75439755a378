"""Write `src/isogloss/text/data/han_variants.txt`: ideographs that only simplified or only traditional Chinese writes.

    apt-get install unicode-data    # Unihan_Variants.txt of Unicode 15.0
    python tools/make_han_variants.py /usr/share/unicode/Unihan_Variants.txt > src/isogloss/text/data/han_variants.txt

An ideograph is a simplified form if Unihan has another one as its traditional variant, unless Unihan lists it as its
own traditional variant and Big5 has it (台 and 后 are traditional too). It is a traditional form if Unihan has another
one as its simplified variant, unless Unihan lists it as its own simplified variant and GB 2312 has it. The third row
has the simplified forms that JIS X 0208 has, which Japanese writes too (国, 学).
"""

import bz2
import sys
from pathlib import Path

Variants = dict[str, set[str]]


def read_variants(path: Path, key: str) -> Variants:
    """Read the variants of each ideograph; one of them may be itself."""
    data = path.read_bytes()
    text = (bz2.decompress(data) if path.suffix == ".bz2" else data).decode()
    rows = [line.split("\t") for line in text.splitlines() if line.startswith("U+")]
    return {
        parse_code(code): {parse_code(each.split("<")[0]) for each in values.split()}
        for code, field, values in rows
        if field == key
    }


def parse_code(code: str) -> str:
    """Return the character that `U+4E00` stands for."""
    return chr(int(code.replace("U+", "0x"), 0))


def list_forms(variants: Variants, encoding: str) -> set[str]:
    """List the ideographs that have another variant and are not one of the standard that an encoding stands for."""
    other = {each for each, found in variants.items() if found - {each}}
    return {each for each in other if each not in variants[each] or not can_encode(each, encoding)}


def can_encode(text: str, encoding: str) -> bool:
    """Return whether an encoding has a character."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


if __name__ == "__main__":
    source = Path(sys.argv[1])
    simplified = list_forms(read_variants(source, "kTraditionalVariant"), "big5")
    traditional = list_forms(read_variants(source, "kSimplifiedVariant"), "gb2312")
    simplified, traditional = simplified - traditional, traditional - simplified
    japanese = {each for each in simplified if can_encode(each, "shift_jis")}
    for name, forms in (("simplified", simplified), ("traditional", traditional), ("japanese", japanese)):
        sys.stdout.write(f"{name} {''.join(sorted(forms))}\n")
