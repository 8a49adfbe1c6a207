import { html, type Markup } from '../adapter/markup.js'
// What the console adds to the look of the reply page: a bar, a list beside a pane, timelines, tables and small charts.

export const STYLE: Markup = html`
.console { font-size: .9375rem; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: .5rem; z-index: 2; background: var(--sheet); padding: .5rem .875rem; border-radius: .5rem; }
.console .top, .console main { max-width: 80rem; margin-inline: auto; padding-inline: 1rem; }
.console main { padding-bottom: 3rem; }
.top { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem; padding-block: .875rem; }
.home { display: inline-flex; align-items: center; gap: .625rem; min-height: 2.75rem; color: var(--ink); font-weight: 650; text-decoration: none; }
.top nav { display: flex; gap: .25rem; }
.top nav a, .filters a { display: inline-flex; align-items: center; min-height: 2.5rem; padding-inline: .75rem; border-radius: .625rem; color: var(--soft); text-decoration: none; font-weight: 550; }
.top nav a:hover, .filters a:hover { background: var(--tint); color: var(--ink); }
.top nav a[aria-current], .filters a[aria-current] { background: var(--tint); color: var(--accent); }
.leave { margin-left: auto; display: flex; align-items: center; gap: .75rem; }
.me { color: var(--soft); }
.console button.plain { min-height: 2.5rem; padding: .25rem .75rem; border-radius: .625rem; font-size: .875rem; border-color: var(--line); font-weight: 550; }

.desk { display: grid; gap: 1.25rem; }
.head { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; min-height: 2.75rem; }
.console h1, .console .title { font-size: 1.375rem; }
.console .title { line-height: 1.25; font-weight: 650; letter-spacing: -.012em; }
.console .pane h1.short, .console .whole h1.short { font-size: 1.5rem; }
.count { color: var(--soft); font-weight: 500; font-size: 1.0625rem; font-variant-numeric: tabular-nums; margin-left: .25rem; }
.new { min-height: 2.25rem; }
.new a { display: inline-flex; align-items: center; min-height: 2.25rem; padding-inline: .875rem; border-radius: 1.25rem; background: var(--accent); color: var(--on-accent); font-weight: 650; text-decoration: none; font-variant-numeric: tabular-nums; }
.new a[hidden] { display: none; }
.filters { display: flex; flex-wrap: wrap; gap: .125rem; margin: .25rem -.25rem .75rem; }
.filters a { min-height: 2.25rem; padding-inline: .625rem; font-size: .875rem; }
.done { background: var(--tint); border-radius: .75rem; padding: .75rem 1rem; margin-bottom: .75rem; }
.items { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: 1rem; background: var(--sheet); overflow: hidden; box-shadow: var(--shadow); }
.item + .item { border-top: 1px solid var(--line); }
.item a, .gone { display: block; padding: .75rem 1rem .75rem 1.125rem; color: inherit; text-decoration: none; border-left: .25rem solid transparent; }
.item a:hover { background: var(--well); }
.item a[aria-current] { background: var(--tint); border-left-color: var(--accent); }
.item a:focus-visible { outline-offset: -3px; border-radius: 0; }
.item.high a { border-left-color: var(--alarm); }
.line, .by { display: flex; justify-content: space-between; gap: .75rem; font-size: .8125rem; color: var(--soft); }
.kind { font-weight: 600; }
.high .kind { color: var(--alarm); }
.due { flex: none; min-width: 4rem; text-align: right; font-variant-numeric: tabular-nums; font-weight: 600; }
.due.near { color: var(--alarm); }
.headline { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; margin-block: .125rem .1875rem; font-weight: 600; font-size: 1rem; line-height: 1.4; }
.from { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.state { flex: none; color: var(--accent); }
.item.over .headline, .item.over .kind, .item.over .due { color: var(--soft); text-decoration: line-through; }
.more { margin-top: .875rem; }
.empty { border: 1px dashed var(--edge); border-radius: 1rem; padding: 1.5rem 1.25rem; color: var(--soft); }
.empty h2 { color: var(--ink); font-size: 1.0625rem; }
.empty p, .empty pre, .empty dl { margin-top: .625rem; }
.empty pre { margin-bottom: 0; padding: .75rem .875rem; background: var(--well); border-radius: .625rem; white-space: pre-wrap; color: var(--ink); }
.keys div { display: flex; gap: 1rem; padding-block: .3125rem; }
.keys dt { flex: 0 0 12.5rem; }
kbd { font: 600 .8125rem var(--mono); border: 1px solid var(--edge); border-bottom-width: 2px; border-radius: .3125rem; padding: .0625rem .375rem; background: var(--sheet); color: var(--ink); }
.back { display: flex; justify-content: space-between; align-items: center; gap: 1rem; min-height: 2.75rem; }
#pane-note { color: var(--alarm); font-weight: 600; }
.console .pane .sheet, .console .whole .sheet { padding: 1.25rem; }
.whole { max-width: 46rem; margin-inline: auto; }
.whole > * + * { margin-top: 1rem; }

.story { list-style: none; margin: .75rem 0 0; padding: 0; }
.story li { position: relative; padding: 0 0 1.125rem 1.5rem; }
.story li::before { content: ""; position: absolute; left: .25rem; top: .4375rem; width: .625rem; height: .625rem; border-radius: 50%; background: var(--sheet); border: 2px solid var(--edge); }
.story li::after { content: ""; position: absolute; left: .5625rem; top: 1.25rem; bottom: -.25rem; width: 1px; background: var(--line); }
.story li:last-child::after { display: none; }
.story li.good::before { border-color: var(--accent); background: var(--accent); }
.story li.bad::before { border-color: var(--alarm); background: var(--alarm); }
.story time { color: var(--soft); font-size: .8125rem; font-variant-numeric: tabular-nums; display: block; }

.views { display: flex; flex-wrap: wrap; gap: .125rem; margin-bottom: 1rem; }
.grid { display: grid; gap: 1rem; }
.figure { background: var(--sheet); border: 1px solid var(--line); border-radius: 1rem; padding: 1rem 1.25rem; box-shadow: var(--shadow); min-width: 0; }
.figure h2 { font-size: .9375rem; }
.figure svg { display: block; width: 100%; height: auto; margin-top: .75rem; }
.figure .soft { font-size: .8125rem; }
.big { font-size: 1.75rem; font-weight: 650; letter-spacing: -.01em; font-variant-numeric: tabular-nums; line-height: 1.2; margin-top: .25rem; }
.key { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-top: .625rem; font-size: .8125rem; color: var(--soft); list-style: none; padding: 0; }
.key i { display: inline-block; width: .625rem; height: .625rem; border-radius: .1875rem; margin-right: .375rem; }
.answered { fill: var(--accent); } .defaulted { fill: var(--amber); } .undelivered { fill: var(--alarm); } .withdrawn { fill: var(--edge); } .pending { fill: var(--line); }
i.answered { background: var(--accent); } i.defaulted { background: var(--amber); } i.undelivered { background: var(--alarm); } i.withdrawn { background: var(--edge); } i.pending { background: var(--line); }
.axis { fill: var(--soft); font: 10px system-ui, sans-serif; }
:root { --amber: #b7791f; }
@media (prefers-color-scheme: dark) { :root { --amber: #e0b050; } }
.table { overflow-x: auto; border: 1px solid var(--line); border-radius: 1rem; background: var(--sheet); box-shadow: var(--shadow); }
table { width: 100%; border-collapse: collapse; font-size: .875rem; }
th, td { overflow-wrap: break-word; text-align: left; padding: .625rem 1rem; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--soft); font-weight: 600; font-size: .8125rem; white-space: nowrap; }
th[scope="row"] { font-weight: 600; }
td.num { font-variant-numeric: tabular-nums; white-space: nowrap; }
.tag { display: inline-block; padding: .0625rem .5rem; border-radius: .5rem; background: var(--well); border: 1px solid var(--line); font-size: .8125rem; white-space: nowrap; }
.tag.good { color: var(--accent); border-color: var(--accent); } .tag.bad { color: var(--alarm); border-color: var(--alarm); }
.after { margin-top: .875rem; display: flex; gap: 1.25rem; }

@media (max-width: 59.99rem) {
  .chosen .list { display: none; }
  .desk:not(.chosen) .pane { display: none; }
}
@media (min-width: 60rem) {
  .desk { grid-template-columns: minmax(20rem, 26rem) minmax(0, 1fr); align-items: start; }
  .pane { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow-y: auto; border-radius: 1rem; }
  .pane .keys { margin-top: 3.25rem; }
  .pane .back a:first-child { visibility: hidden; }
  .grid.three { grid-template-columns: repeat(3, minmax(0, 1fr)); }
}
@media (max-width: 40rem) {
  .top { column-gap: .25rem; }
  .top nav a { padding-inline: .5rem; }
  .me { display: none; }
  table, thead, tbody, tr, th, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding: .625rem 1rem; border-top: 1px solid var(--line); }
  tbody tr:first-child { border-top: 0; }
  th, td { padding: .125rem 0; border: 0; }
  td[data-of]::before { content: attr(data-of) ": "; color: var(--soft); }
}
`
