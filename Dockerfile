# The server without the embedded PostgreSQL: DATABASE_URL and SERVER_SECRET have to be given.
# The tag is the version that package.json pins as the npm package `node`, which is left out here (deploy/image.test.ts
# holds the two together); no package of production has an install script that is needed.
FROM node:26.10.0-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev --omit=optional --no-audit --no-fund

FROM node:26.10.0-slim
LABEL org.opencontainers.image.licenses=Apache-2.0
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
# Everything belongs to root: the server may read it and change nothing.
COPY --from=packages /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY api ./api
COPY cli ./cli
COPY demo/world.json ./demo/world.json
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# No shell in between: SIGTERM reaches the server. Other commands: `docker run … audit ledger`.
ENTRYPOINT ["node", "cli/guildhall.ts"]
CMD ["serve"]
