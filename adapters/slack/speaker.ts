// The person speaking. A signed payload names a user id; our own token asks Slack what that account is and where it
// belongs. Names and addresses in payloads are display data and decide nothing.
//
// SP1  A sender is (team, user): the workspace, or on Enterprise Grid the organisation, and the member id.
// SP2  A bot, a guest, a deactivated account and a member of another organisation speak for nobody. In a shared
//      channel Slack does not mark such a member as a stranger, so their home is compared with ours.
// SP3  When Slack cannot be asked, nobody is believed: nothing is recorded, and the person sees that it failed.
import type { webApi } from '@slack/bolt'
import { type Api, troubleOf } from './api.js'

/** Long enough for a burst of clicks; an account that is closed stops answering within a minute. */
const FRESH_MS = 60_000
/** More people than answer within a minute. */
const MAX_KNOWN = 1_000

export type SlackSpeaker = {
  readonly sender: { readonly team: string; readonly user: string }
  readonly authenticated: boolean
}

type User = NonNullable<webApi.UsersInfoResponse['user']>

export class Speakers {
  readonly #prompt: webApi.WebClient
  /** The workspace or organisation the app is installed in; asked once. Owned by #ours(). */
  #home: Promise<string> | null = null
  /** Accounts found lately, by user. Owned by #account(). */
  readonly #known = new Map<string, { readonly at: number; readonly user: User | null }>()

  constructor({ prompt }: Api) {
    this.#prompt = prompt
  }

  /** `team` is the user's team according to the payload; null if it does not say. */
  async find(user: string, team: string | null, now: number): Promise<SlackSpeaker> {
    const [account, ours] = await Promise.all([this.#account(user, now), this.#ours()])
    if (account === null) return { sender: { team: team ?? '', user }, authenticated: false }
    const organisation = account.enterprise_user?.enterprise_id ?? null
    const home = organisation ?? account.team_id ?? ''
    // On Grid a payload may name any workspace of the organisation.
    const agrees = organisation !== null || team === null || team === account.team_id
    const authenticated = agrees && isPerson(account) && home === ours
    return { sender: { team: home, user }, authenticated }
  }

  async #account(user: string, now: number): Promise<User | null> {
    const known = this.#known.get(user)
    if (known !== undefined && now - known.at < FRESH_MS) return known.user
    const found = await this.#ask(user)
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    this.#known.set(user, { at: now, user: found })
    return found
  }

  async #ask(user: string): Promise<User | null> {
    try {
      return (await this.#prompt.users.info({ user })).user ?? null
    } catch (error) {
      const trouble = troubleOf(error)
      if (trouble.kind === 'refused' && UNKNOWN.includes(trouble.code)) return null
      throw new Unasked(`Slack could not say who is speaking: ${trouble.code}`)
    }
  }

  #ours(): Promise<string> {
    this.#home ??= this.#prompt.auth.test().then(
      ({ enterprise_id, team_id }) => (enterprise_id as string | undefined) || team_id || '',
      error => {
        this.#home = null
        throw new Unasked(`Slack could not say where the app is installed: ${troubleOf(error).code}`)
      },
    )
    return this.#home
  }
}

/** SP3: the webhook is answered 503, and Slack or the person tries again. */
export class Unasked extends Error {
  override readonly name = 'Unasked'
}

const UNKNOWN = ['user_not_found', 'user_not_visible', 'users_not_found']

const isPerson = (user: User): boolean =>
  !user.deleted &&
  !user.is_bot &&
  !user.is_workflow_bot &&
  !user.is_connector_bot &&
  !user.is_restricted &&
  !user.is_ultra_restricted &&
  !user.is_stranger &&
  user.id !== 'USLACKBOT'
