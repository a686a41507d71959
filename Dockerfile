# The server, and `guildhall work`, without the embedded PostgreSQL: DATABASE_URL and SERVER_SECRET must be set.
# The tag is the version of the npm package `node` that package.json pins (deploy/image.test.ts compares the two). That
# package itself is left out, and no other production package needs its install script.
#
# Both stages run on the machine that builds, for every kind of processor: nothing in a package that is kept is for one kind
# (deploy/image.test.ts), and npm takes many times longer where a processor is emulated. Where the builder of Docker before
# BuildKit does not say what the machine is, `linux` means its own kind.
FROM --platform=${BUILDPLATFORM:-linux} node:26.10.0-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY client/package.json ./client/
COPY web/package.json ./web/
RUN npm ci --ignore-scripts --omit=dev --omit=optional --no-audit --no-fund

# The dashboard as built files; what builds it stays here. Its compilers are optional packages, one for each platform.
FROM --platform=${BUILDPLATFORM:-linux} node:26.10.0-slim AS dashboard
WORKDIR /app
COPY package.json package-lock.json ./
COPY client/package.json ./client/
COPY web/package.json ./web/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY docs/guide.md ./docs/guide.md
COPY client ./client
COPY web ./web
RUN node web/build.ts

FROM node:26.10.0-slim
LABEL org.opencontainers.image.licenses=Apache-2.0
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
# Git keeps the work of tasks, bubblewrap confines agents. A new volume takes over the owner of the folder that it is
# mounted on; without one, nothing can be written there, because the containers' file systems are read-only.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap git \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir --parents /data/files /data/pods /data/repositories \
  && chown 1000:1000 /data/files /data/pods /data/repositories
WORKDIR /app
# All files belong to root: the server can read them but not change them.
COPY --from=packages /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY --from=dashboard /app/web/dist ./web/dist
COPY server ./server
COPY cli ./cli
COPY demo/world.json ./demo/world.json
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# No shell in between, so that SIGTERM reaches the server. Other commands: `docker run … audit ledger`.
ENTRYPOINT ["node", "cli/guildhall.ts"]
CMD ["serve"]
