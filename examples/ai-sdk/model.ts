// Stands in for a model, so that the example runs without an account: it calls the tool once and then repeats what it was
// told. In a program of yours there is `anthropic('…')`, `openai('…')` or another in its place.
import { MockLanguageModelV3 } from 'ai/test'

const USAGE = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
}

export function scripted(command: string, toolCallId: string): MockLanguageModelV3 {
  const call = {
    type: 'tool-call' as const,
    toolCallId,
    toolName: 'shell',
    input: JSON.stringify({ command }),
  }
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const last = prompt.at(-1)
      const told = last?.role === 'tool' ? last.content.find(part => part.type === 'tool-result') : undefined
      const answer = { usage: USAGE, warnings: [] }
      return told === undefined
        ? { ...answer, content: [call], finishReason: { unified: 'tool-calls', raw: undefined } }
        : {
            ...answer,
            content: [{ type: 'text', text: JSON.stringify(told.output) }],
            finishReason: { unified: 'stop', raw: undefined },
          }
    },
  })
}
