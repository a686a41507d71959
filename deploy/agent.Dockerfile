# Images that agents, checks and deploys run in, for PODS_DRIVER=docker and kubernetes.
#   docker build -f deploy/agent.Dockerfile -t guildhall-agent .                       with the ready agents
#   docker build -f deploy/agent.Dockerfile --target base -t guildhall-agent-base .    without them, to build your own from
# The tag is that of the server's image (deploy/agent-image.test.ts compares the two).
FROM node:26.10.0-slim AS base
LABEL org.opencontainers.image.licenses=Apache-2.0
# What projects need most: Node.js, Python, Git and a compiler; with tar, find, sort and comm, the results of setups are kept.
# A new volume takes over the owner of the folder that it is mounted on.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends build-essential ca-certificates coreutils curl findutils git python3 python3-pip \
  python3-venv ripgrep tar unzip xz-utils \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir --parents /pod/work /pod/home \
  && chown --recursive 1000:1000 /pod
WORKDIR /opt/guildhall
# All other files belong to root: agents can read them but not change them.
COPY package.json LICENSE ./
# The helper, which runs commands, moves files and forwards sockets.
COPY server/platform/pods ./server/platform/pods
# The sandbox agent, which needs no packages.
COPY server/runner/agents/sandbox ./server/runner/agents/sandbox
# Every file of a pod that is read or written starts the helper: what Node.js compiles it to, for the user of pods, is kept.
RUN install --directory --owner=1000 --group=1000 .compiled \
  && NODE_COMPILE_CACHE=/opt/guildhall/.compiled setpriv --reuid=1000 --regid=1000 --clear-groups \
  node server/platform/pods/inside/main.ts files '{"do":"check","last":""}' \
  && chown --recursive 0:0 .compiled \
  && chmod --recursive a+rX .compiled
ENV NODE_COMPILE_CACHE=/opt/guildhall/.compiled
WORKDIR /pod/work
USER 1000:1000
CMD ["sleep", "infinity"]

# The ready agents, in the versions that docs/agents.md has seen at work.
FROM base AS agents
USER root
RUN NODE_DISABLE_COMPILE_CACHE=1 npm install --global --no-audit --no-fund opencode-ai@1.18.33 @agentclientprotocol/claude-agent-acp@0.101.0 \
  @qwen-code/qwen-code@0.24.4 @google/gemini-cli@0.61.0 @agentclientprotocol/codex-acp@2.6.0 \
  && npm cache clean --force
USER 1000:1000
