# A stand-in for the slim image of Node.js (bases.sh, arm64.sh).
FROM guildhall-debian
ARG TARGETARCH
COPY node-$TARGETARCH /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY ca.pem /etc/ssl/engine.pem
RUN ln --symbolic ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && ln --symbolic ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
  && useradd --uid 1000 --user-group --create-home --shell /bin/bash node
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/engine.pem
CMD ["node"]
