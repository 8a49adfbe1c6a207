import { html, type Markup } from '../adapter/markup.js'
// The script of a form that a passkey fills in: a browser makes and asks passkeys in no other way. It does nothing until
// its button is pressed, and sends the form it stands on, nothing else. Without it, or where the browser knows no passkeys,
// the form is not shown.

export const PASSKEY: Markup = html`
(() => {
  'use strict'
  const form = document.getElementById('passkey')
  if (!form || !window.PublicKeyCredential) return
  const { use, challenge, host, known = '' } = form.dataset
  const button = form.querySelector('button')
  const note = document.getElementById('passkey-note')
  const bytes = text => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), one => one.charCodeAt(0))
  const text = buffer =>
    btoa(Array.from(new Uint8Array(buffer), one => String.fromCharCode(one)).join(''))
      .replace(/[+]/g, '-').replace(/[/]/g, '_').replace(/=+$/, '')
  const make = () => navigator.credentials.create({ publicKey: {
    challenge: bytes(challenge),
    rp: { id: host, name: 'Interrupt Lane' },
    user: { id: bytes(form.dataset.person), name: form.dataset.id, displayName: form.dataset.name },
    pubKeyCredParams: form.dataset.algorithms.split(' ').map(alg => ({ type: 'public-key', alg: Number(alg) })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    excludeCredentials: known.split(' ').filter(Boolean).map(id => ({ type: 'public-key', id: bytes(id) })),
    attestation: 'none',
  } })
  const ask = () => navigator.credentials.get({ publicKey: {
    challenge: bytes(challenge), rpId: host, userVerification: 'required', allowCredentials: [],
  } })
  const fill = ({ rawId, response }) => {
    const fields = form.elements
    fields.client_data.value = text(response.clientDataJSON)
    if (use === 'create') {
      fields.attestation.value = text(response.attestationObject)
      return
    }
    fields.credential_id.value = text(rawId)
    fields.authenticator_data.value = text(response.authenticatorData)
    fields.signature.value = text(response.signature)
  }
  const tell = error => {
    button.disabled = false
    note.textContent = error.name === 'InvalidStateError'
      ? 'This device has a passkey of yours already.'
      : 'Nothing was done: the device did not confirm it. Try again.'
  }
  form.hidden = false
  form.addEventListener('submit', event => {
    event.preventDefault()
    button.disabled = true
    note.textContent = 'Your device asks you now.'
    ;(use === 'create' ? make() : ask()).then(made => { fill(made); form.submit() }, tell)
  })
})()
`
