// What makes the console installable.

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
    { src: `${root}/console/icon.png`, type: 'image/png', sizes: '512x512', purpose: 'any' },
    { src: `${root}/console/icon.png`, type: 'image/png', sizes: '512x512', purpose: 'maskable' },
  ],
})
