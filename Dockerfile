# Of August 2026; a release names the digest of its day (docs/development/releasing.md).
ARG NODE_IMAGE=node:24-trixie-slim@sha256:50c3b2f6988dfc307b86e5301d69611af31f4789bdf232863b07d3b02fe55ae0
# The image in which npm runs; replace it only behind a proxy with its own certificate authority.
ARG BUILD_IMAGE=${NODE_IMAGE}

# Only the files that npm needs: the installation is repeated only when one of them changes.
FROM ${BUILD_IMAGE} AS manifests
WORKDIR /src
COPY . .
RUN mkdir /manifests \
 && find . -maxdepth 3 \( -name package.json -o -name package-lock.json -o -name .npmrc \) -exec cp --parents {} /manifests \;

FROM ${BUILD_IMAGE} AS build
WORKDIR /app
COPY --from=manifests /manifests ./
# Install scripts would fetch binaries that the image does not need: it has Node, and the database is in another container.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build \
 && node scripts/sbom.mjs \
 && find . -mindepth 1 -maxdepth 1 ! -name dist ! -name migrations ! -name package.json ! -name sbom.cdx.json ! -name '*.md' ! -name LICENSE \
      -exec rm -rf {} +
# What Node compiles, kept for the image's user: of a server that finds no database, and of one that needs none.
RUN install -d -o node -g node dist/compiled \
 && (true | setpriv --reuid=1000 --regid=1000 --clear-groups env HOME=/tmp NODE_COMPILE_CACHE=/app/dist/compiled \
      node dist/main.js test-server --kubeconfig-out=/tmp/kubeconfig) \
 && ! setpriv --reuid=1000 --regid=1000 --clear-groups env HOME=/tmp NODE_COMPILE_CACHE=/app/dist/compiled \
      node dist/main.js serve --data-dir=/tmp/data --database-url=postgresql://127.0.0.1:1/none \
 && chown -R root:root dist/compiled && chmod -R a+rX,go-w dist/compiled

FROM ${NODE_IMAGE}
# A small young generation: pauses of a few milliseconds, and 100 MB less than V8's default. Node's own code on large pages, if available.
ENV NODE_ENV=production NODE_OPTIONS="--max-semi-space-size=16 --use-largepages=silent" COORDINATION_APISERVER_DATA_DIR=/data
# What the server prints for users outside of the container.
ENV KUBECONFIG_COMMAND="docker exec CONTAINER coordination-apiserver kubeconfig --server https://HOST:6443"
COPY --from=build /app /app
RUN ln -s /app/dist/main.js /usr/local/bin/coordination-apiserver \
 && install -d -o node -g node -m 0700 /data
# By number, so that Kubernetes can verify that it is not root.
USER 1000:1000
# Certificates and the admin's kubeconfig: the only files that are written, so the rest may be read-only.
VOLUME /data
EXPOSE 6443
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s CMD ["coordination-apiserver", "health"]
ENTRYPOINT ["coordination-apiserver"]
