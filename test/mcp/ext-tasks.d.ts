// The Tasks extension's own client, by what these tests use of it. It is here to be run; its own types follow another
// version of zod than the one that describes our tools.
declare module '@modelcontextprotocol/ext-tasks/client' {
  export type ToolExecution = {
    readonly kind: 'task' | 'immediate'
    settle(): Promise<{ readonly outcome: unknown }>
    cancel(): Promise<void>
    detach(): Promise<void>
    serializeReference(): unknown
  }
  export type TaskEnabledSession = {
    callTool(name: string, params: object): Promise<ToolExecution>
    resumeTask(reference: unknown): Promise<ToolExecution>
    close(): Promise<void>
  }
  export function createTaskSessionFromClient(
    client: unknown,
    options: {
      readonly endpointId: string
      readonly v2RequestFraming: object
      rawDispatch(request: { readonly method: string; readonly params: object }): Promise<unknown>
    },
  ): TaskEnabledSession
  export function resultFromTaskOutcome(outcome: unknown): unknown
}

declare module '@modelcontextprotocol/ext-tasks/core/v2' {
  export function isCreateTaskResultV2(value: unknown): boolean
  export function isDetailedTaskV2(value: unknown): boolean
}
