import { html, type Markup } from '../../src/adapter/index.js'
// The look of every page: one column, one accent, the reader's own fonts, light or dark as the reader's device is
// set. Loads nothing. YES and NO are drawn alike, so that the page leans to neither.

export const STYLE: Markup = html`
:root {
  color-scheme: light dark;
  --paper: #f3f2ee; --sheet: #ffffff; --well: #f8f7f4; --ink: #1c1e22; --soft: #585e68; --line: #dedcd5; --edge: #868c96;
  --accent: #0b665a; --on-accent: #ffffff; --tint: #e9f3f0; --alarm: #9c2a12; --alarm-tint: #fcefeb; --added: #dff3e4; --removed: #fbe3df;
  --shadow: 0 1px 2px rgb(28 30 34 / .05), 0 12px 32px -12px rgb(28 30 34 / .14);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "Roboto Mono", "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0e1112; --sheet: #171b1d; --well: #1d2225; --ink: #eceeee; --soft: #a9b0b6; --line: #2e3539; --edge: #7b858c;
    --accent: #6ad4c0; --on-accent: #05211c; --tint: #14312c; --alarm: #ffa18c; --alarm-tint: #371b15; --added: #14381f; --removed: #45211a;
    --shadow: 0 1px 2px rgb(0 0 0 / .4);
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
h1, h2, p, ul, dl, dd, figure, blockquote, fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
ul { list-style: none; }
code, pre { font-family: var(--mono); font-size: .875em; }
a { color: var(--accent); text-underline-offset: .2em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; border-radius: .25rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.bar, main, .foot { max-width: 42rem; margin-inline: auto; padding-inline: 1rem; }
.bar { display: flex; align-items: center; gap: .625rem; padding-block: 1.25rem .875rem; font-weight: 600; }
.mark { width: .375rem; height: 1.25rem; border-radius: .25rem; background: var(--accent); box-shadow: .625rem 0 0 -.0625rem var(--edge); margin-right: .625rem; }
.pill { margin-left: auto; padding: .125rem .75rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--sheet); color: var(--soft); font-size: .875rem; font-weight: 500; }
.sheet { background: var(--sheet); border: 1px solid var(--line); border-radius: 1rem; box-shadow: var(--shadow); padding: 1.25rem; }
.sheet + .sheet { margin-top: 1rem; }
.stack > * + * { margin-top: 1.25rem; }
.who { color: var(--soft); }
.who strong { color: var(--ink); }
h1 { font-size: 1.625rem; line-height: 1.25; font-weight: 650; letter-spacing: -.012em; text-wrap: balance; }
h1.long { font-size: 1.1875rem; line-height: 1.45; letter-spacing: 0; text-wrap: wrap; }
h2, legend, .name, .head { font-size: 1rem; font-weight: 650; line-height: 1.4; }
.soft { color: var(--soft); font-size: .9375rem; }

.words { border-left: .25rem solid var(--accent); background: var(--well); border-radius: .25rem .75rem .75rem .25rem; padding: 1rem 1.125rem 1.125rem; }
.words figcaption { color: var(--soft); font-size: .875rem; margin-bottom: .5rem; }
.words h2 { margin-top: 1.125rem; font-size: .875rem; font-weight: 600; color: var(--soft); }

.until { background: var(--tint); border-radius: .75rem; padding: 1rem 1.125rem; }
.clock { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .5rem; }
.left { font-size: 1.75rem; font-weight: 650; line-height: 1.2; letter-spacing: -.01em; font-variant-numeric: tabular-nums; color: var(--accent); }
.left[data-near="true"] { color: var(--alarm); }
.clock + p { margin-top: .375rem; line-height: 1.6; }
.steps { list-style: disc; padding-left: 1.25rem; }
.silence + p { margin-top: .875rem; }
.silence { border-top: 1px solid var(--line); margin-top: .875rem; padding-top: .875rem; }

.prose { white-space: pre-line; }
.blocked { margin-top: .5rem; list-style: disc; padding-left: 1.25rem; }
.decisions { list-style: none; margin: 0; padding: 0; }
.decision { border-top: 1px solid var(--line); padding-block: 1.25rem; }
.decision:first-child { border-top: 0; padding-top: 0; }
.decision > * + *, .decision fieldset > * + * { margin-top: .625rem; }
.decision.settled { color: var(--soft); }
.decision.faulty { border-left: .25rem solid var(--alarm); padding-left: .875rem; }
.prompt { font-size: 1.0625rem; font-weight: 650; line-height: 1.4; }
.described { display: block; color: var(--soft); font-size: .9375rem; font-weight: 400; }
.alike { margin-bottom: 1.25rem; display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; }
.alike button { flex: 1 1 14rem; }
button.plain { width: auto; padding: .5rem .875rem; background: var(--sheet); color: var(--ink); border: 1px solid var(--edge); font-size: .9375rem; }
.remark > * + * { margin-top: .25rem; }
.remark label { font-weight: 600; }

.handles { margin-top: .75rem; }
.handles li { border-top: 1px solid var(--line); padding-block: .5rem; display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 1rem; align-items: start; }
.handles li:last-child { padding-bottom: 0; }
.handles .name { padding-top: .5rem; grid-column: 1; }
.handles .given { grid-column: 1; padding-block: .25rem; }
.handles .open { grid-column: 2; grid-row: 1; }
.handles .held { grid-column: 1 / -1; margin: .25rem 0 .5rem; }
.held figcaption { color: var(--soft); font-size: .875rem; }
.held .content { margin-top: .25rem; border-left: .25rem solid var(--accent); }
.open { display: inline-flex; align-items: center; min-height: 2.75rem; padding-inline: 1rem; border: 1px solid var(--edge); border-radius: .625rem; text-decoration: none; font-weight: 600; }

legend, .ask { font-size: 1.125rem; }
legend { padding: 0; }
.hint { color: var(--soft); font-size: .9375rem; margin-top: .25rem; }
.cards { display: grid; gap: .625rem; margin-top: .875rem; }
.cards.pair { grid-template-columns: 1fr 1fr; }
.card { display: flex; align-items: center; gap: .75rem; min-height: 3.5rem; padding: .75rem 1rem; border: 1px solid var(--edge); border-radius: .75rem; background: var(--sheet); cursor: pointer; }
.card input { flex: none; width: 1.375rem; height: 1.375rem; margin: 0; accent-color: var(--accent); }
.card:hover { background: var(--well); }
.card:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); background: var(--tint); }
.card:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
.card input:focus-visible { outline: none; }
.pair .card { min-height: 4.25rem; font-size: 1.25rem; font-weight: 650; letter-spacing: .02em; }
.letter { flex: none; min-width: 1.875rem; padding: .125rem .25rem; border-radius: .4375rem; background: var(--well); border: 1px solid var(--line); text-align: center; font-weight: 650; }
.card:has(:checked) .letter { background: var(--sheet); }
.label { min-width: 0; }
.value { display: block; color: var(--soft); font-size: .875rem; }

.field { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem; margin-top: .75rem; }
.field span { max-width: 100%; color: var(--soft); }
.field input, .field select, .code { min-width: 0; min-height: 3.25rem; padding: .625rem .875rem; border: 1px solid var(--edge); border-radius: .75rem; background: var(--sheet); color: var(--ink); font: inherit; font-size: 1.125rem; }
.field input, .field select { flex: 1 1 auto; width: 100%; }
.field .number { flex: 1 1 8rem; max-width: 12rem; font-variant-numeric: tabular-nums; }
.field .date { flex: 0 1 15rem; -webkit-appearance: none; appearance: none; }
.field .or { flex: 1 1 100%; color: var(--soft); }
.code { display: block; width: 9.5rem; margin-top: .75rem; font-family: var(--mono); font-size: 1.5rem; letter-spacing: .22em; text-align: center; text-transform: uppercase; }
.ask { display: block; font-weight: 650; line-height: 1.4; }
.proof { border-top: 1px solid var(--line); padding-top: 1.25rem; }
.needs { margin-bottom: .75rem; }
button + [data-challenge] { margin-top: .75rem; }
.final { margin-top: .875rem; text-align: center; }
button { width: 100%; min-height: 3.5rem; padding: .75rem 1.5rem; border: 1px solid transparent; border-radius: .875rem; background: var(--accent); color: var(--on-accent); font: inherit; font-size: 1.125rem; font-weight: 650; cursor: pointer; }
button.second { background: var(--sheet); color: var(--ink); border-color: var(--edge); }
button:hover { filter: brightness(1.08); }

summary { min-height: 2.75rem; display: flex; align-items: center; font-weight: 650; cursor: pointer; }
summary::before { content: "+"; width: 1.5rem; font-size: 1.25rem; color: var(--accent); }
details[open] > summary::before { content: "–"; }
details > form { margin-top: 1rem; }

.alarm { border-color: var(--alarm); background: var(--alarm-tint); box-shadow: none; }
.alarm:focus-visible { outline: 1px solid var(--alarm); outline-offset: 0; border-radius: 1rem; }
.alarm h2, .alarm .head { margin: 0; color: var(--alarm); font-size: 1.125rem; }
.alarm dl { display: grid; gap: .75rem; margin-top: .875rem; }
.alarm p { margin-top: .25rem; }
.faults { list-style: none; margin: .875rem 0 0; padding: 0; overflow-wrap: anywhere; }
.faults li + li { margin-top: .75rem; }
.faults .hint { display: block; }
.alarm dt { font-size: .875rem; color: var(--soft); }
.alarm .jump { display: inline-flex; align-items: center; min-height: 2.75rem; margin-top: .5rem; font-weight: 600; }

.foot { color: var(--soft); font-size: .875rem; padding-block: 1.25rem 3rem; }
.foot p { padding-block: .25rem; }
.calm { padding: 2.25rem 1.5rem; }
.calm p { margin-top: .875rem; font-size: 1.0625rem; }
.fingerprint code { font-size: 1.375rem; letter-spacing: .02em; }
.content { margin-top: 1rem; padding: 1rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--well); white-space: pre-wrap; line-height: 1.5; tab-size: 4; }
.content .added { background: var(--added); }
.content .removed { background: var(--removed); }
.content .note { color: var(--soft); }
.content mark { background: var(--alarm-tint); color: var(--alarm); border-radius: .25rem; padding-inline: .1875rem; }

@media (min-width: 40rem) {
  .bar { padding-top: 2.5rem; }
  .sheet { padding: 2rem; }
  .calm { padding: 3rem 2.5rem; }
  .proof { display: grid; grid-template-columns: 1fr auto; column-gap: 1.5rem; align-items: center; }
  .proof .code { grid-column: 2; grid-row: 1 / span 2; margin-top: 0; }
  h1 { font-size: 2rem; }
  h1.long { font-size: 1.3125rem; }
  .foot { padding-inline: 3rem; }
}
@media (prefers-reduced-motion: no-preference) {
  .card, button { transition: background-color .12s, border-color .12s, box-shadow .12s; }
}
@media (prefers-contrast: more) {
  :root { --soft: var(--ink); --line: var(--edge); }
}
@media print {
  form { display: none; }
}
`
