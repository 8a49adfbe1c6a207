// Every route of the door, in the order in which they are met.
import { AAH_ROUTES } from './aah.js'
import { AHIL_ROUTES } from './ahil.js'
import { BLOB_ROUTES } from './blobs.js'
import { CHECKPOINT_ROUTES } from './checkpoint.js'
import { CHALLENGE_ROUTES } from './console-challenge.js'
import { INBOX_ROUTES } from './console-inbox.js'
import { INSTALL_ROUTES } from './console-install.js'
import { LIVE_ROUTES } from './console-live.js'
import { OIDC_ROUTES } from './console-oidc.js'
import { OPERATIONS_ROUTES } from './console-operations.js'
import { PASSKEY_ROUTES } from './console-passkeys.js'
import { REQUEST_PAGE_ROUTES } from './console-request.js'
import { SIGN_IN_ROUTES } from './console-sign-in.js'
import { EVENT_ROUTES } from './events.js'
import { HOOK_ROUTES } from './hooks.js'
import { LEDGER_ROUTES } from './ledger.js'
import { MCP_ROUTES } from './mcp.js'
import { OPERATION_ROUTES } from './operations.js'
import { OPERATOR_ROUTES } from './operator.js'
import { POLICY_ROUTES } from './policy.js'
import { PROOF_ROUTES } from './proof.js'
import { RECIPIENT_PASSKEY_ROUTES } from './recipient-passkeys.js'
import { RECIPIENT_ROUTES } from './recipients.js'
import { REPLY_ROUTES } from './reply-page.js'
import { REQUEST_ROUTES } from './requests.js'
import type { Route } from './route.js'
import { RUN_ROUTES } from './runs.js'

export const ROUTES: readonly Route[] = [
  ...REQUEST_ROUTES,
  ...AAH_ROUTES,
  ...POLICY_ROUTES,
  ...RUN_ROUTES,
  ...EVENT_ROUTES,
  ...BLOB_ROUTES,
  ...RECIPIENT_ROUTES,
  ...RECIPIENT_PASSKEY_ROUTES,
  ...LEDGER_ROUTES,
  ...CHECKPOINT_ROUTES,
  ...PROOF_ROUTES,
  ...AHIL_ROUTES,
  ...OPERATOR_ROUTES,
  ...REPLY_ROUTES,
  ...SIGN_IN_ROUTES,
  ...INBOX_ROUTES,
  ...LIVE_ROUTES,
  ...REQUEST_PAGE_ROUTES,
  ...PASSKEY_ROUTES,
  ...CHALLENGE_ROUTES,
  ...OPERATIONS_ROUTES,
  ...INSTALL_ROUTES,
  ...OIDC_ROUTES,
  ...HOOK_ROUTES,
  ...MCP_ROUTES,
  ...OPERATION_ROUTES,
]
