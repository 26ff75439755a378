"""CoNLL columns: a token a line with its tags, and a blank line after each sentence.

A file is read in blocks of whole sentences, so that memory is bounded by the block or the longest sentence.

- Columns are separated by tabs if the first token line holds a tab, otherwise by runs of spaces and tabs; other blanks,
  such as no-break spaces, belong to the token. Blanks around a line mean nothing, nor do spaces around a tab.
- All token lines have as many columns as the first line that does not start with `#` (the first of two columns or more,
  if all do). Another number is a fault. The columns that are read may not be empty.
- A line that starts with `#` is a comment if it has another number of columns, and a token if it has that of the file.
- Blank lines, also of spaces, end a sentence, and so do `-DOCSTART-` lines, which are no token. Each sentence is a
  document.
- Lines end in newlines, with or without carriage returns before them. A carriage return elsewhere is a fault.
"""
