// Reads replies in a process of its own: an engine's speed on a function depends on all it has run before.
import { answerParent } from './child.js'
import { timeCompilation } from './compilation.js'

answerParent<'measure'>(null, async () => timeCompilation())
