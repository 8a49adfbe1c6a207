// What makes the console installable: a manifest, and an icon drawn like the mark on every page.
import { html, type Markup } from '../adapter/markup.js'

export const ICON: Markup = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" rx="96" fill="#0b665a"/><rect x="152" y="112" width="72" height="288" rx="36" fill="#ffffff"/><rect x="288" y="112" width="72" height="288" rx="36" fill="#ffffff" opacity=".45"/></svg>`

export const manifestOf = (root: string): object => ({
  name: 'Interrupt Lane',
  short_name: 'Lane',
  description: 'What waits for your answer.',
  id: `${root}/console/`,
  start_url: `${root}/console/inbox`,
  scope: `${root}/console/`,
  display: 'standalone',
  background_color: '#f3f2ee',
  theme_color: '#0b665a',
  icons: [
    { src: `${root}/console/icon.svg`, type: 'image/svg+xml', sizes: 'any', purpose: 'any' },
    { src: `${root}/console/icon.svg`, type: 'image/svg+xml', sizes: '512x512', purpose: 'maskable' },
  ],
})
