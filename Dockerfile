# The image of the service `kg` in docker-compose.yml: `kg serve` for a Neo4j beside it. No Java, no managed Neo4j.
FROM python:3.11-slim
WORKDIR /build
COPY . .
RUN pip install --no-cache-dir --constraint constraints.txt '.[serve]' \
    && cd / && rm -rf /build \
    && useradd --uid 10001 --create-home kg \
    && mkdir /data && chown 10001:10001 /data
WORKDIR /data
USER 10001:10001
ENV KG_HOME=/data KG_CACHE=/data/cache PYTHONDONTWRITEBYTECODE=1
ENTRYPOINT ["kg"]
CMD ["serve", "--host", "0.0.0.0"]
