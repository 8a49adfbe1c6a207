// The manifest people paste says what the channel needs, and no more.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { checkScopes } from '../../adapters/slack/check.js'

const readme = readFileSync(new URL('../../adapters/slack/README.md', import.meta.url), 'utf8')
const manifest = parse(/```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? '')

test('the manifest asks for exactly the scopes the doctor wants', () => {
  const scopes: string[] = manifest.oauth_config.scopes.bot
  expect(checkScopes(scopes)).toMatchObject({ status: 'ok' })
  for (const scope of scopes)
    expect(checkScopes(scopes.filter(other => other !== scope))).toMatchObject({ status: 'fail' })
})

test('the manifest leads interactions and replies to the lane, and lets people write', () => {
  const { interactivity, event_subscriptions } = manifest.settings
  expect([interactivity.request_url, event_subscriptions.request_url]).toEqual(
    Array(2).fill('https://lane.example.org/hooks/slack'),
  )
  expect(event_subscriptions.bot_events).toContain('message.im')
  expect(manifest.features.app_home.messages_tab_read_only_enabled).toBe(false)
})
