import { html, type Markup } from '../adapter/markup.js'
// The script of a form that a passkey confirms: a browser asks for one in no other way. It does nothing until its button is
// pressed. Then it has the lane name the challenge for exactly what is filled in, has the device confirm that, and sends
// the form with it. Until it has run the button is not shown, and the page says why.

export const CONFIRM: Markup = html`
(() => {
  'use strict'
  const buttons = [...document.querySelectorAll('button[data-challenge]')]
  const say = (button, words) => { button.form.querySelector('.confirming').textContent = words }
  if (!window.PublicKeyCredential) return buttons.forEach(button => say(button, 'This browser knows no passkeys.'))
  const bytes = text => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), one => one.charCodeAt(0))
  const text = buffer =>
    btoa(Array.from(new Uint8Array(buffer), one => String.fromCharCode(one)).join(''))
      .replace(/[+]/g, '-').replace(/[/]/g, '_').replace(/=+$/, '')
  const prepare = button => {
    const form = button.form
    const fields = form.elements
    const fill = values => { for (const name in values) fields[name].value = values[name] }
    const stop = words => {
      button.disabled = false
      say(button, words)
    }
    const ask = async () => {
      const body = new URLSearchParams(new FormData(form))
      const answer = await fetch(button.dataset.challenge, { method: 'POST', body, redirect: 'manual' })
      if (answer.type === 'opaqueredirect') return stop('Nothing was sent: you are signed out. Open this page again.')
      const told = await answer.json()
      if (!answer.ok) return stop('Nothing was sent: ' + told.detail)
      say(button, 'Your device asks you now.')
      const { rawId, response } = await navigator.credentials.get({ publicKey: {
        challenge: bytes(told.challenge), rpId: told.host, userVerification: 'required', timeout: 300000,
        allowCredentials: told.credentials.map(id => ({ type: 'public-key', id: bytes(id) })),
      } })
      fill({
        ticket: told.ticket,
        credential_id: text(rawId),
        client_data: text(response.clientDataJSON),
        authenticator_data: text(response.authenticatorData),
        signature: text(response.signature),
      })
      form.submit()
    }
    // A page that is come back to has confirmed nothing.
    window.addEventListener('pageshow', () => {
      fill({ ticket: '', credential_id: '', client_data: '', authenticator_data: '', signature: '' })
      button.disabled = false
    })
    say(button, '')
    button.hidden = false
    button.addEventListener('click', () => {
      if (fields.code) fields.code.required = false
      const isWhole = form.reportValidity()
      if (fields.code) fields.code.required = true
      if (!isWhole) return
      button.disabled = true
      say(button, 'One moment.')
      ask().catch(() => stop('Nothing was sent: the device did not confirm it. Try again.'))
    })
  }
  buttons.forEach(prepare)
})()
`
