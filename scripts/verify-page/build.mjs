// Writes dist/verify.html: the checking code of the lane, as it was built, in one page that needs no server. A browser
// takes no modules from files, so each stands in the page's import map as a data URL, under its name.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = dirname(fileURLToPath(import.meta.url))
const BUILT = join(HERE, '../../dist/src')
const ROOTS = ['proof/verify.js', 'proof/words.js', 'checkpoint/note.js']
const IMPORT = /(\bfrom\s+|\bimport\s+)(['"])(\.[^'"]+)\2/g

const read = name => readFileSync(join(HERE, name), 'utf8')
const url = code => `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
const named = file => `lane/${relative(BUILT, file).replaceAll('\\', '/')}`

const imports = { 'node:crypto': url(read('sha256.js')), 'lane/page.js': url(read('page.js')) }

function take(file) {
  if (imports[named(file)] !== undefined) return
  const found = []
  const code = readFileSync(file, 'utf8').replace(IMPORT, (_, before, quote, path) => {
    const other = resolve(dirname(file), path)
    found.push(other)
    return `${before}${quote}${named(other)}${quote}`
  })
  const foreign = [...code.matchAll(/\bfrom\s+['"]((?!lane\/|node:crypto['"])[^'"]+)['"]/g)].map(
    ([, name]) => name,
  )
  if (foreign.length > 0) throw new Error(`${file} imports ${foreign.join(', ')}, which no browser has`)
  imports[named(file)] = url(code.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'))
  for (const other of found) take(other)
}
for (const root of ROOTS) take(join(BUILT, root))

const map = JSON.stringify({ imports })
const main = "import 'lane/page.js'"
const style = read('page.css')
const hashed = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const policy = [
  "default-src 'none'",
  `script-src ${hashed(map)} ${hashed(main)} data:`,
  `style-src ${hashed(style)}`,
  "form-action 'none'",
  "base-uri 'none'",
].join('; ')

writeFileSync(
  join(BUILT, '../verify.html'),
  `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>Check a decision proof</title>
<style>${style}</style>
<h1>Check a decision proof</h1>
<p>Everything happens in this page. It has no connection to anywhere, and keeps nothing.</p>
<form id="form">
<label for="proof">The proof</label><input id="proof" type="file">
<label for="key">The log's verifier keys, from somewhere you trust, one a line</label><textarea id="key" rows="3" spellcheck="false"></textarea>
<label for="checkpoint">A checkpoint that was published elsewhere (optional)</label><input id="checkpoint" type="file">
<button id="check" disabled>Check</button>
</form>
<div id="result" role="status"></div>
<script type="importmap">${map}</script>
<script type="module">${main}</script>
</html>
`,
)
