"""A report as one HTML file: no network, no script, every script of the world.

`page` makes it. `figures` and `curves` draw in SVG (`svg`), `pictures` says what of; `marking` marks texts,
`passages` puts excerpts together, `contexts` shows findings, `matrix` confusions; `templates` has the page, its parts
and their style.

1. What users wrote (texts, labels, names, places) is escaped wherever it stands. Control characters and bidirectional
   controls of it are shown as pictures or code points, as in a terminal.
2. A mark never pads, borders, boxes or emboldens part of a word: it is a background, an underline and a shadow inside,
   so that letters join, and vowels and tones sit, as they do without it. It begins and ends between grapheme clusters.
3. No colour is the only cue: underlines differ in style, edges in shape, and every number is printed.
4. Text that runs from right to left is isolated from what stands beside it, and gets its direction by itself.
"""
