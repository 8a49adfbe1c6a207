// The manifest and the icon of the console: the same for everybody, so that a browser may keep them.
import { drawPicture, ICON } from '../console/icon.js'
import { manifestOf } from '../console/manifest.js'
import { rootOf } from './console-visit.js'
import { type Route, route } from './route.js'

const KEPT = 'public, max-age=86400'
const MANIFEST = 'application/manifest+json'
const SVG = 'image/svg+xml'
const PNG = 'image/png'

/** Drawn when it is first asked for. */
let picture: Buffer | undefined

export const INSTALL_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/console/manifest.webmanifest',
    operationId: 'readManifest',
    summary: 'The manifest by which the console is installed',
    answers: [{ status: 200, media: MANIFEST, words: 'a manifest' }],
    handle: (door, _request, reply) =>
      reply
        .header('cache-control', KEPT)
        .type(MANIFEST)
        .send(JSON.stringify(manifestOf(rootOf(door)))),
  }),
  route({
    method: 'get',
    path: '/console/icon.svg',
    operationId: 'drawIcon',
    summary: 'The icon of the console',
    answers: [{ status: 200, media: SVG, words: 'an icon' }],
    handle: (_door, _request, reply) => reply.header('cache-control', KEPT).type(SVG).send(ICON.text),
  }),
  route({
    method: 'get',
    path: '/console/icon.png',
    operationId: 'drawPicture',
    summary: 'The same icon as a picture',
    answers: [{ status: 200, media: PNG, words: 'an icon' }],
    handle(_door, _request, reply) {
      picture ??= drawPicture()
      return reply.header('cache-control', KEPT).type(PNG).send(picture)
    },
  }),
]
