"""Write the lists of top-level domains and of file name extensions in `src/isogloss/text/data`.

    pip install tldextract==5.4.0
    python tools/make_names.py src/isogloss/text/data

Domains are the one-label ICANN entries of the public suffix list, as that package carries it; extensions are those of
Python's own `mimetypes`, and of the source files that people write about.
"""

import mimetypes
import sys
from pathlib import Path

import tldextract

SOURCES = """
    7z ai apk avi avro bashrc bat bib bin bz2 c cc cer cfg ckpt class clj cmake conf conll conllu cpp crt cs csproj dart
    db deb diff djvu dll dmg dockerfile docx dwg dxf ebnf el env eps epub erl ex exe exs f90 fasta fb2 flac fs gguf
    gitignore go gradle graphql groovy gz h hpp hs ico ini ipynb iso jar java jl jsonl jsx key kt kts less lock log lua
    m4 markdown mat md mdx mjs mk mkv ml mobi mov mp3 mp4 msi ndjson nix npy npz odp ods odt ogg onnx orig otf parquet
    patch pem php pl plist pm pom pptx proto ps1 psd pt pth pyi pyx r rar rb rkt rpm rs rst safetensors sass scala scm
    scss service sh sln sql sqlite sqlite3 srt stl swift tcl tex tf tgz toml torrent ts tsx ttf vb vtt vue wasm webm
    webp whl woff woff2 xlsm xlsx xz yaml yml zip zsh zst
"""


def domains() -> list[str]:
    """Top-level domains in ASCII, lower case."""
    suffixes = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None).tlds
    return sorted(name for name in suffixes if "." not in name and name.isascii())


def extensions() -> list[str]:
    """Extensions without the dot, lower case."""
    table = mimetypes.MimeTypes(filenames=())  # Python's own, without those of the machine
    known = {name[1:].lower() for types in (*table.types_map, table.encodings_map) for name in types}
    return sorted(known | set(SOURCES.split()))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for name, rows in (("domains", domains()), ("extensions", extensions())):
        (folder / f"{name}.txt").write_text(" ".join(rows) + "\n", encoding="utf-8")
