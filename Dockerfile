# Builds with the toolchain better-sqlite3 needs, runs without it and without root. Serves both profiles: embedded as it
# stands, cluster where DATABASE_URL and REDIS_URL are set (docker-compose.yml).
FROM node:24-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY adapters adapters
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY config config
RUN mkdir -p /var/lib/lane && chown node:node /var/lib/lane && chmod 700 /var/lib/lane
USER node
EXPOSE 8787
CMD ["node", "dist/src/cli/lane.js", "serve"]
