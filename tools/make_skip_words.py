"""Write the words that presidio-evaluator leaves out of comparisons, for the profile `presidio`.

    pip install presidio-evaluator==0.3.2
    python tools/make_skip_words.py src/isogloss/tasks/ner/profiles/data

Tokens of white space are left out of the file: the profile leaves them out by itself.
"""

import sys
from pathlib import Path

from presidio_evaluator.evaluation.skipwords import get_skip_words

if __name__ == "__main__":
    words = sorted(word for word in get_skip_words() if word.strip())
    (Path(sys.argv[1]) / "presidio_skip_words.txt").write_text(" ".join(words) + "\n", encoding="utf-8")
