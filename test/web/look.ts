// A page looked at as people have it, small and large, light and dark: axe finds no fault, and nothing scrolls sideways.
// SHOTS names a directory for pictures of every look.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Result } from 'axe-core'
import type { Page as Tab } from 'playwright-core'
import { expect } from 'vitest'
import { ALL } from '../faults/rig.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** What is in order is not told: to put that together takes longer than to find it so. */
const RUN = "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)"
const WIDTHS = '[document.scrollingElement.scrollWidth, document.scrollingElement.clientWidth]'

// The page's own policy would refuse axe as it refuses any script but its own; it is lifted for these looks only.
// Without motion no colour is measured on its way from light to dark.
export const UNGUARDED = { bypassCSP: true, reducedMotion: 'reduce' } as const

const PHONE = { width: 360, height: 740 }
const DESK = { width: 1280, height: 900 }
/** Every size in every colour; every day each of them once. */
const LOOKS = [
  { viewport: PHONE, colorScheme: 'light' as const },
  { viewport: DESK, colorScheme: 'dark' as const },
  { viewport: PHONE, colorScheme: 'dark' as const },
  { viewport: DESK, colorScheme: 'light' as const },
].slice(0, ALL ? 4 : 2)

/** Of a tab whose context is UNGUARDED. */
export async function expectSound(tab: Tab, name: string): Promise<void> {
  await tab.evaluate(AXE)
  for (const { viewport, colorScheme } of LOOKS) {
    await tab.emulateMedia({ colorScheme })
    await tab.setViewportSize(viewport)
    const found = (await tab.evaluate(RUN)) as Result[]
    const faults = found.flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.html}`))
    const [wide, seen] = (await tab.evaluate(WIDTHS)) as [number, number]
    if (process.env.SHOTS)
      await tab.screenshot({
        path: `${process.env.SHOTS}/${name.replaceAll(' ', '-')}-${viewport.width}-${colorScheme}.png`,
        fullPage: true,
      })
    expect([name, faults, wide]).toEqual([name, [], seen])
  }
}
