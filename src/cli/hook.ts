// `lane hook`: where a coding agent asks before it uses a tool.
import { type Command, misuse } from './command.js'
import { install } from './hook/install.js'
import { permission } from './hook/permission.js'
import { nearest } from './nearest.js'

const DEEDS = { permission, install } as const
const NAMES = Object.keys(DEEDS)

export const hook: Command = {
  usage: `lane hook permission [--deadline D] [--to U …] [--allow PATTERN …]
lane hook install claude-code|codex [--dry-run] [--remove] [--event E] [--matcher M] [the options of permission]

permission is what a coding agent runs: it reads the agent's PermissionRequest or PreToolUse on standard input, asks a
person for the action USE_TOOL on exactly this tool, input and directory, and answers in the agent's own JSON. Only YES,
in time, allows; whatever is unknown, late, unreachable or unreadable is denied, with its reason. LANE_URL and
LANE_API_KEY say which lane, from the environment or from a file named before the command (lane --env FILE hook …),
never from a .env that lies there or from operator.key. A key with more than scope request is refused.

install shows what it would change in the agent's settings of this user, and changes it after a yes; --remove takes it
out again. The command it writes names this program, the --env file it was called with, and the options below.

Options (with …: given once for each value):
  --deadline D       how long a person has, such as 10m (10m)
  --to U …           who is asked; may be left out where only one person is configured
  --allow PATTERN …  what need not be asked: a tool (Read), or a tool with its whole command ("Bash(git status)");
                     compared whole, and named in every request about another use
  --event E          PermissionRequest (what the agent itself would ask about) or PreToolUse (every use that matches)
  --matcher M        the tools, in the agent's own words (*)
  --dry-run          only show the change`,

  async run(args, shell) {
    const [name = '', ...rest] = args
    const deed = Object.hasOwn(DEEDS, name) ? DEEDS[name as keyof typeof DEEDS] : undefined
    if (deed !== undefined) return await deed(rest, shell)
    const meant = nearest(name, NAMES)
    return misuse(
      `lane hook takes ${NAMES.join(' or ')}; ${meant === null ? `read "${name}"` : `did you mean ${meant}?`}`,
    )
  },
}
