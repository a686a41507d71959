# The image that agents run in, for PODS_DRIVER=docker and kubernetes. Add the programs that your agents need, or build your own image
# from it: `docker build -f deploy/agent.Dockerfile -t guildhall-agent .`
# The tag is that of the server's image (deploy/agent-image.test.ts compares the two).
FROM node:26.10.0-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev --omit=optional --no-audit --no-fund

FROM node:26.10.0-slim
LABEL org.opencontainers.image.licenses=Apache-2.0
# A new volume takes over the owner of the folder that it is mounted on.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git ripgrep \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir --parents /pod/work /pod/home \
  && chown --recursive 1000:1000 /pod
WORKDIR /opt/guildhall
# All other files belong to root: agents can read them but not change them.
COPY package.json LICENSE ./
# The helper, which runs commands, moves files and forwards sockets.
COPY server/platform/pods ./server/platform/pods
# The sandbox agent with its packages.
COPY server/runner/agents/sandbox ./server/runner/agents/sandbox
COPY --from=packages /app/node_modules/@agentclientprotocol/sdk ./node_modules/@agentclientprotocol/sdk
COPY --from=packages /app/node_modules/zod ./node_modules/zod
WORKDIR /pod/work
USER 1000:1000
CMD ["sleep", "infinity"]
