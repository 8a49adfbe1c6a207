import { html, type Markup } from '../../src/adapter/index.js'
// The page's one script: it counts down to the deadline and adds the reader's own time of day where the lane does not
// know it. It sends nothing and touches no control; without it the page is complete. Its bytes are fixed, so the policy
// can name them by hash.

// The lane's clock, not the reader's, says how much time is left: a phone that is an hour off counts the same.
export const SCRIPT: Markup = html`
(() => {
  'use strict'
  const deadline = document.getElementById('deadline')
  const left = document.getElementById('left')
  if (!deadline || !left) return
  const end = Date.parse(deadline.dateTime)
  const ahead = Date.parse(left.dataset.now) - Date.now()
  const two = number => String(number).padStart(2, '0')
  const clock = seconds => {
    const days = Math.floor(seconds / 86400)
    const hours = Math.floor(seconds / 3600) % 24
    const minutes = Math.floor(seconds / 60) % 60
    const short = days || hours ? hours + ':' + two(minutes) : String(minutes)
    return (days ? days + ' d ' : '') + short + ':' + two(seconds % 60)
  }
  const note = document.getElementById('left-note')
  const tick = () => {
    const seconds = Math.floor((end - Date.now() - ahead) / 1000)
    left.textContent = seconds > 0 ? clock(seconds) : 'Time is up'
    note.textContent = seconds > 0 ? 'left' : ''
    left.dataset.near = String(seconds < 60)
    if (seconds > 0) setTimeout(tick, 1000)
  }
  const shape = { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' }
  const local = document.getElementById('local')
  if (!local.textContent) local.textContent = new Date(end).toLocaleString([], shape) + ' your time'
  tick()
})()
`
