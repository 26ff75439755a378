"""The tags of a file: validated, repaired, converted, counted. What `isogloss tags` does.

    file = opened(Source("system.conll"))                # decides how each column of tags is read
    validate(file, show=print)                           # every tag that does not fit, with its place
    rewrite(file, repairing("begin"), write)             # the file with its tags repaired, all else byte for byte
    rewrite(file, converting("iobes"), write)            # in another scheme
    count(file)                                          # spans by label and length, tokens, sentences, tags

What a span is, the decoder says (`isogloss.tagging`), and the encoder there how another scheme writes it.
"""
