import { html, type Markup } from '../adapter/markup.js'
// The console's one script. It counts what is new behind a link, marks what is settled where it stands, and lets keys move
// and choose. It never adds, moves or replaces a line of the list, and it never sends: without it everything works.

export const LIVE: Markup = html`
(() => {
  'use strict'
  const items = document.getElementById('items')
  const links = () => [...document.querySelectorAll('.items .item > a')]
  const find = id => links().map(link => link.parentElement).find(one => one.dataset.id === id)

  const hear = () => {
    const badge = document.getElementById('new')
    const fresh = new Set()
    const source = new EventSource(items.dataset.live)
    source.addEventListener('new', ({ data }) => {
      const { request_id } = JSON.parse(data)
      if (find(request_id)) return
      fresh.add(request_id)
      show()
    })
    source.addEventListener('over', ({ data }) => {
      const { request_id } = JSON.parse(data)
      if (fresh.delete(request_id)) show()
      const item = find(request_id)
      if (!item) return
      item.classList.add('over')
      item.querySelector('.state').textContent = 'Settled'
      const note = document.getElementById('pane-note')
      if (note && item.querySelector('[aria-current]')) note.textContent = 'Settled meanwhile'
    })
    const show = () => {
      badge.textContent = fresh.size + ' new'
      badge.hidden = fresh.size === 0
      const empty = document.getElementById('nothing')
      if (empty) empty.textContent = fresh.size ? 'Something new waits for you' : 'Nothing waits for you'
      document.title = (fresh.size ? '(' + fresh.size + ') ' : '') + document.title.replace(/^\\(\\d+\\) /, '')
    }
  }
  if (items && items.dataset.live) hear()

  const count = () => {
    const ahead = Date.parse(items.dataset.now) - Date.now()
    const tick = () => {
      for (const due of document.querySelectorAll('.items .due')) {
        const seconds = Math.floor((Date.parse(due.dateTime) - Date.now() - ahead) / 1000)
        const [size, unit] = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']].find(([one]) => seconds >= one) || [1, '']
        due.textContent = unit === '' ? 'now' : Math.floor(seconds / size) + ' ' + unit
        due.classList.toggle('near', seconds < 60)
      }
      setTimeout(tick, 1000)
    }
    tick()
  }
  if (items && items.dataset.now) count()

  const move = by => {
    const all = links()
    const at = all.indexOf(document.activeElement)
    const from = at >= 0 ? at : all.findIndex(link => link.hasAttribute('aria-current'))
    const to = all[Math.min(Math.max(from + by, 0), all.length - 1)]
    if (to) to.focus()
  }
  const choose = answer => {
    const one = document.querySelector('#answer input[type="radio"][name="reply"][value="' + answer + '"]')
    if (!one) return
    one.checked = true
    one.focus()
  }
  const KEYS = { j: () => move(1), k: () => move(-1), y: () => choose('YES'), n: () => choose('NO') }
  const isTyping = ({ tagName, type }) =>
    tagName === 'TEXTAREA' || tagName === 'SELECT' || (tagName === 'INPUT' && type !== 'radio' && type !== 'checkbox')
  document.addEventListener('keydown', event => {
    const { key, target } = event
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return
    // Only the button sends: a field in which somebody presses Enter does not.
    if (key === 'Enter' && target.tagName === 'INPUT' && target.closest('#answer')) return event.preventDefault()
    if (isTyping(target) || !Object.hasOwn(KEYS, key)) return
    event.preventDefault()
    KEYS[key]()
  })

  const chosen = document.querySelector('.items [aria-current]')
  if (chosen) chosen.scrollIntoView({ block: 'nearest' })
})()
`
