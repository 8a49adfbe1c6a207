// Does with its settings what Claude Code does: before it runs a command it runs the hook they name, tells it what it is
// about to do, and does as the hook says.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const command = process.argv[2]
const { hooks } = JSON.parse(readFileSync(`${process.env.HOME}/.claude/settings.json`, 'utf8'))
const [hook] = hooks.PermissionRequest[0].hooks
const use = {
  session_id: 'a-session',
  transcript_path: '/dev/null',
  cwd: process.cwd(),
  permission_mode: 'default',
  hook_event_name: 'PermissionRequest',
  tool_name: 'Bash',
  tool_input: { command },
}
const { stdout } = spawnSync('sh', ['-c', hook.command], { input: JSON.stringify(use), encoding: 'utf8' })
const { decision } = JSON.parse(stdout).hookSpecificOutput
if (decision.behavior === 'allow') spawnSync('sh', ['-c', command])
console.log(decision.message ?? 'finished')
