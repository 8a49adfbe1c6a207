// The Slack channel: cards with buttons, forms and threads. Webhooks where there is a signing secret, Socket Mode where
// there is an app token, both where there are both.
import type { Adapter, AdapterParts } from '../../src/adapter/index.js'
import { openApi } from './api.js'
import { openApp } from './app.js'
import { check } from './check.js'
import { close } from './close.js'
import { locate } from './copy.js'
import { listen } from './listen.js'
import { Webhook } from './receive.js'
import { shows } from './render.js'
import { Post } from './send.js'
import { Speakers } from './speaker.js'
import { Notices } from './tell.js'
import { readVariables } from './variables.js'

export function slackAdapter({ variables, publicUrl, say }: AdapterParts): Adapter {
  const { botToken, signingSecret, appToken, apiUrl } = readVariables(variables)
  const api = openApi(botToken, apiUrl)
  const post = new Post(api, say)
  const dispatch = openApp({ api, speakers: new Speakers(api), notices: new Notices(api, say) }, say)
  const webhook = signingSecret === undefined ? null : new Webhook(signingSecret, dispatch)
  return {
    channel: 'slack',
    shows,
    send: (display, outbound) => post.send(display, outbound),
    close: async (ref, ending, display) => close(api, await locate(api, ref), ending, display),
    ...(webhook !== null && { receive: (hook, desk) => webhook.receive(hook, desk) }),
    ...(appToken !== undefined && {
      listen: (_cursor, desk) => listen({ appToken, apiUrl, dispatch, say }, desk),
    }),
    check: () => check({ api, appToken, apiUrl, publicUrl: publicUrl() }),
  }
}
