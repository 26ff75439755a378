# The service of isogloss, for `docker compose up --build`. docs/service.md explains it, and tools/replay_dockerfile.py runs
# these steps without Docker.
FROM python:3.13-slim

# Packages of Debian that an extra needs, such as "g++ pkg-config libicu-dev" for icu.
ARG APT_PACKAGES=""
# Extras of pyproject.toml, such as "web,sentences,stanza".
ARG EXTRAS=web,sentences
# Models that the service runs, such as RECOGNISER="stanza:uk"; they are downloaded while the image is built.
ARG LANGUAGE=uk
ARG RECOGNISER=""
ARG SPLITTER=""
ARG TOKENIZER=""
# What tells languages, such as py3langid with EXTRAS=web,sentences,lid.
ARG IDENTIFIER=""

RUN test -z "$APT_PACKAGES" || (apt-get update && apt-get install --yes --no-install-recommends $APT_PACKAGES)
RUN useradd --create-home --uid 10001 isogloss && mkdir /models && chown isogloss /models
WORKDIR /app
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src ./src
RUN pip install --no-cache-dir ".[$EXTRAS]"

USER isogloss
# Where libraries look for models. `isogloss serve` reads the options from the variables.
ENV HF_HOME=/models/huggingface STANZA_RESOURCES_DIR=/models/stanza
ENV ISOGLOSS_LANGUAGE=$LANGUAGE ISOGLOSS_RECOGNISER=$RECOGNISER ISOGLOSS_SPLITTER=$SPLITTER ISOGLOSS_TOKENIZER=$TOKENIZER
ENV ISOGLOSS_IDENTIFIER=$IDENTIFIER
# Loading the models once downloads them, and a build with a wrong name fails here.
RUN test -z "$RECOGNISER$SPLITTER$TOKENIZER$IDENTIFIER" || isogloss serve --check --download
VOLUME /models
EXPOSE 8008
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8008/readyz', timeout=4)"]
STOPSIGNAL SIGTERM

# All addresses of the container: who reaches them is decided where the port is published. See compose.yaml.
ENTRYPOINT ["isogloss", "serve", "--host", "0.0.0.0"]
CMD ["--insecure"]
