// `lane ail`: gates of AIL pipelines that hold.
import { bridge } from './ail/bridge.js'
import { gate } from './ail/gate.js'
import { install } from './ail/install.js'
import { lint } from './ail/lint.js'
import { runner } from './ail/runner.js'
import type { Command } from './command.js'
import { choose } from './deeds.js'

const DEEDS = { gate, runner, install, bridge, lint } as const

export const ail: Command = {
  usage: `lane ail gate [ACTION] --why T --deadline D [--default DENY] [options of lane approve]
lane ail runner [--deadline 1h] [--to U …]
lane ail install [--key-file FILE] [--json]
lane ail bridge [--allow-modify] [--to U …] [--deadline 1h] [--prompt-deadline 4m] [--state DIR] [--json]
                -- ail stdio --stream -m TEXT [--pipeline FILE] [--model M]
lane ail lint FILE … [--json] [-- ail ARGS]

Gates of AIL pipelines that hold (docs/ail.md). \`gate\` is a step of a pipeline: it asks for RUN_STEP, waits, prints the
outcome as JSON, never reads standard input and exits 0 only on YES, 10 NO, 20 defaulted, 21 undelivered, 22 withdrawn,
69 lane unreachable, 1 error, 2 wrong usage. \`runner\` is started by ail for steps with \`runner: interrupt-lane\`, whose
prompt holds the request, and \`install\` writes its manifest, with FILE for LANE_URL and LANE_API_KEY. \`bridge\` runs a pipeline and puts its
gates, prompts about tools and questions before people: after anything but a YES to a gate the run is ended. \`lint\` names gates that do not hold, with file, line and what to write instead;
behind -- stands how ail is started. LANE_URL and LANE_API_KEY come from the environment or from a file named before the
command, never from a .env that lies there. Others than gate exit 0 done, 1 refused or broken, 2 wrong usage.`,

  run: (args, shell) => choose('ail', DEEDS, args, shell),
}
