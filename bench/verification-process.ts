// The audit in a process of its own, over the ledger file it is given.
import { answerParent } from './child.js'
import { timeVerification } from './verification.js'

answerParent<string>(null, timeVerification)
