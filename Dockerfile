# Builds with the toolchain better-sqlite3 needs, runs without it and without root. Serves both profiles: embedded as it
# stands, cluster where DATABASE_URL and REDIS_URL are set (docker-compose.yml).
#
# The version is exact: an addon compiled with the headers of 24.19 to 24.21 aborts the process when a statement of
# SQLite is collected outside any context (nodejs/node#65446). A newer Node needs the smoke (`npm run smoke`) first.
FROM node:24.18.1-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY adapters adapters
COPY scripts/verify-page scripts/verify-page
RUN npm run build && npm prune --omit=dev

FROM node:24.18.1-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY config config
RUN mkdir -p /var/lib/lane && chown node:node /var/lib/lane && chmod 700 /var/lib/lane
USER node
EXPOSE 8787
# What a request leaves behind is gone before it is copied twice: docs/operating.md.
CMD ["node", "--max-semi-space-size=64", "dist/src/cli/lane.js", "serve"]
