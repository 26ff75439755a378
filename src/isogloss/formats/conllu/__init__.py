"""CoNLL-U and CoNLL-U Plus: a word a line, its columns between tabs, and a blank line after each sentence.

A sentence is a document; the comment `# sent_id` is its id.

- Words are the lines whose ID is a whole number. Empty nodes (`1.1`) are skipped. The line of a token of several words
  (`1-2`) only says how they are written: where that is not simply one after the other, as in French `du` for `de le`,
  each of the words stands where the whole token does.
- The tag of a word stands in MISC, as `NER=B-PER`, or in a column of its own. Without it the word is outside.
- The text is that of `# text`, where this holds the words, and else made of them: a space after each but with
  `SpaceAfter=No` or `SpacesAfter`, as UDPipe writes it. Other files may have other white space.
- Heads, features and all else may be anything: no tree is needed.
"""

from isogloss.formats.conllu.annotation import FORMAT

__all__ = ["FORMAT"]
