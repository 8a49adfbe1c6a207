import { html, type Markup } from '../adapter/markup.js'
// The script of a form that a passkey confirms: a browser asks for one in no other way. It does nothing until its button is
// pressed. Then it has the lane name the challenge for exactly what is filled in, has the device confirm that, and sends
// the form with it. Where the browser knows no passkeys, the button is not shown.

export const CONFIRM: Markup = html`
(() => {
  'use strict'
  if (!window.PublicKeyCredential) return
  const bytes = text => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), one => one.charCodeAt(0))
  const text = buffer =>
    btoa(Array.from(new Uint8Array(buffer), one => String.fromCharCode(one)).join(''))
      .replace(/[+]/g, '-').replace(/[/]/g, '_').replace(/=+$/, '')
  const prepare = (form, button) => {
    const note = form.querySelector('.confirming')
    const fields = form.elements
    const fill = values => { for (const name in values) fields[name].value = values[name] }
    const stop = words => {
      button.disabled = false
      note.textContent = words
    }
    const ask = async () => {
      const body = new URLSearchParams(new FormData(form))
      const answer = await fetch(button.dataset.challenge, { method: 'POST', body, redirect: 'manual' })
      if (answer.type === 'opaqueredirect') return stop('Nothing was sent: you are signed out. Open this page again.')
      const told = await answer.json()
      if (!answer.ok) return stop('Nothing was sent: ' + told.detail)
      note.textContent = 'Your device asks you now.'
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
    button.hidden = false
    button.addEventListener('click', () => {
      if (fields.code) fields.code.required = false
      const isWhole = form.reportValidity()
      if (fields.code) fields.code.required = true
      if (!isWhole) return
      button.disabled = true
      note.textContent = 'One moment.'
      ask().catch(() => stop('Nothing was sent: the device did not confirm it. Try again.'))
    })
  }
  for (const button of document.querySelectorAll('button[data-challenge]')) prepare(button.form, button)
})()
`
