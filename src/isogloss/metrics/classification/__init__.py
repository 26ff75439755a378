"""Text classification: what is counted, what is ranked, and how spaCy does it.

`exclusive` and `multilabel` count documents whose labels exclude each other or do not, `figures` makes scores of
either, `ordering` has the scores that depend on the order of all documents, `curves` their points, `errors` what a
person looks at, and `spacy` the figures of spaCy.
"""
