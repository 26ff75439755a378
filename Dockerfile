# The service of isogloss, for `docker compose up --build`. docs/service.md explains it.
FROM python:3.13-slim

# What is installed beside the service, such as "web,stanza": extras of pyproject.toml, separated by commas.
ARG EXTRAS=web

RUN useradd --create-home --uid 10001 isogloss
WORKDIR /app
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src ./src
RUN pip install --no-cache-dir ".[${EXTRAS}]" && mkdir /models && chown isogloss /models

USER isogloss
# Where libraries look for models, and keep those that --download brings.
ENV HF_HOME=/models/huggingface STANZA_RESOURCES_DIR=/models/stanza
VOLUME /models
EXPOSE 8008
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8008/readyz', timeout=4)"]
STOPSIGNAL SIGTERM

# All addresses of the container: who reaches them is decided where the port is published. See compose.yaml.
ENTRYPOINT ["isogloss", "serve", "--host", "0.0.0.0"]
CMD ["--insecure"]
