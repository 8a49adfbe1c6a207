// The page that checks a decision proof. What it reads stays in it: it has no address to send anything to, and its
// policy forbids every connection.
import { readVkey } from 'lane/checkpoint/note.js'
import { verifyProof } from 'lane/proof/verify.js'
import { provenWords, unprovenWords } from 'lane/proof/words.js'

const at = id => document.getElementById(id)

async function check(publicKey, text, signature) {
  const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify'])
  return crypto.subtle.verify('Ed25519', key, signature, text)
}

function section(title, lines, className) {
  const part = document.createElement('section')
  part.className = className
  const heading = document.createElement('h2')
  heading.textContent = title
  const list = document.createElement('ul')
  for (const line of lines) {
    const item = document.createElement('li')
    item.textContent = line
    list.append(item)
  }
  part.append(heading, list)
  return part
}

const bytesOf = async input => {
  const [file] = input.files
  return file === undefined ? null : new Uint8Array(await file.arrayBuffer())
}

async function verdict() {
  const proof = await bytesOf(at('proof'))
  if (proof === null) return [section('Choose a proof', ['A file that `lane proof` has written.'], 'refused')]
  const lines = at('key')
    .value.split('\n')
    .map(line => line.trim())
  const given = lines.filter(line => line !== '')
  const keys = given.map(readVkey)
  if (keys.some(key => key === null))
    return [
      section('This is no verifier key', ['One a line: name+id+base64, as the log gives them.'], 'refused'),
    ]
  const published = await bytesOf(at('checkpoint'))
  const trust = { keys, check, ...(published !== null && { published: new TextDecoder().decode(published) }) }
  const found = await verifyProof(proof, trust)
  if (!found.ok) return [section(`Nothing is proven (${found.code})`, [found.message], 'refused')]
  return [
    section('Proven', provenWords(found), 'proven'),
    section('Not proven', unprovenWords(found), 'unproven'),
  ]
}

at('form').addEventListener('submit', async event => {
  event.preventDefault()
  const result = at('result')
  result.replaceChildren()
  try {
    result.append(...(await verdict()))
  } catch (error) {
    result.append(section('This browser cannot check it', [String(error)], 'refused'))
  }
})
at('check').disabled = false
