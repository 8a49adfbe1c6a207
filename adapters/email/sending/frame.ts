import { html, type Markup } from '../../../src/adapter/index.js'

// The frame of every HTML mail of the lane. Programs that drop the style sheet still show black on white or white on
// black in one column: the sheet only colours and spaces.

const STYLE = html`
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 16px; background: #ffffff; color: #1c1e22; font: 16px/1.5 -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
.sheet { max-width: 600px; margin: 0 auto; overflow-wrap: anywhere; word-break: break-word; }
p, ul { margin: 0 0 14px; }
ul { padding-left: 20px; }
.marker { color: #767c86; font-size: 12px; }
.first { margin: 0 0 4px; font-size: 18px; font-weight: 600; }
.soft { color: #585e68; font-size: 14px; margin-top: 18px; }
.words { border-left: 4px solid #0b665a; padding: 8px 14px; background: #f3f2ee; color: #1c1e22; }
.ask { font-size: 20px; line-height: 1.35; }
.code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 18px; letter-spacing: 2px; }
.page { display: inline-block; padding: 12px 18px; border: 1px solid #0b665a; border-radius: 10px; color: #0b665a; text-decoration: none; font-weight: 600; }
pre { margin: 6px 0 14px; padding: 8px 10px; border-left: 4px solid #0b665a; background: #f3f2ee; color: #1c1e22; white-space: pre-wrap; font: 13px/1.45 ui-monospace, Menlo, Consolas, monospace; }
.added { background: #dff3e4; }
.removed { background: #fbe3df; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 13px; }
@media (prefers-color-scheme: dark) {
  body { background: #14181a; color: #eceeee; }
  .soft, .marker { color: #a9b0b6; }
  .words, pre { background: #1d2225; color: #eceeee; border-left-color: #6ad4c0; }
  .added { background: #14381f; }
  .removed { background: #45211a; }
  .page { color: #6ad4c0; border-color: #6ad4c0; }
}`

export const frame = (body: Markup): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<style>${STYLE}</style></head>
<body><div class="sheet">${body}</div></body></html>
`.text
