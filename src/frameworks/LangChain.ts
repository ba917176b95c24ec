/**
 * Runs guarded tools in LangChain: `createAgent({ model, tools, middleware })`, `bindTools`, and a loop of your own.
 *
 * **Details**
 *
 * - The guard checks the arguments, not LangChain. The content of a tool's message is the guard's text.
 * - `middleware` lets the guard answer unknown tools and arguments that are not JSON, and marks the messages of failures.
 *   Without it, LangChain answers unknown tools, and an agent ends at arguments that are not JSON.
 * - In a loop of your own, `tool.invoke(toolCall)` returns the message of the tool, to add to the messages.
 * - The `signal` of the configuration interrupts the calls.
 *
 * **Gotchas**
 *
 * - Guarded tools are objects, not instances of LangChain's classes. Its callbacks do not observe their calls.
 * - Images and files of a result are not passed on, because an agent takes only text from a tool.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import type { ToolSchema } from "#domain/schema/foreign/StandardContract"
import type { HostedTool, PromiseGuard } from "#src/promise/PromiseGuard"
import type { PromiseHost } from "#src/promise/PromiseHost"
import type { CallContext } from "#src/promise/PromiseTool"
import type { AnyTool } from "#src/tool/ToolClass"
import * as ExistingTools from "./ExistingTools.ts"
import * as GuardedBox from "./GuardedBox.ts"

/** A call as LangChain passes it to a tool. */
export type LangChainCall = {
  readonly name: string
  readonly args: Record<string, unknown>
  readonly id?: string | undefined
  readonly type?: "tool_call" | undefined
}

/** The part of LangChain's configuration of a call that the guard reads. */
export type LangChainConfig = { readonly signal?: AbortSignal | undefined }

/** The message of a tool, in a form that chat models accept. */
export type LangChainToolMessage = {
  role: "tool"
  content: string
  tool_call_id: string
  name: string
  status: "success" | "error"
}

/** A guarded tool for LangChain. */
export type LangChainTool = {
  readonly name: string
  readonly description: string
  readonly schema: JsonObject
  readonly lc_runnable: true
  readonly lc_namespace: Array<string>
  readonly returnDirect: false
  /** Returns the message of the tool. For an agent, and for arguments without a call, it returns the text alone. */
  readonly invoke: {
    (call: LangChainCall & { readonly type: "tool_call" | undefined }): Promise<LangChainToolMessage>
    (input: unknown, config?: LangChainConfig): Promise<string | LangChainToolMessage>
  }
}

/** The hooks of an agent's middleware. */
export interface LangChainMiddleware {
  readonly name: string
  readonly wrapToolCall: <Request extends { readonly toolCall: { readonly name: string } }, Result>(
    request: Request,
    handler: (request: Request) => Result | Promise<Result>
  ) => Promise<Result>
  readonly wrapModelCall: <Request, Result>(
    request: Request,
    handler: (request: Request) => Result | Promise<Result>
  ) => Promise<Result>
}

/** Guarded tools for LangChain. */
export interface LangChainGuard extends Pick<PromiseHost, "turn"> {
  /** The tools of an agent, or of `bindTools`. */
  readonly tools: Array<LangChainTool>
  /** The argument of LangChain's `createMiddleware`. */
  readonly middleware: LangChainMiddleware
}

/** The field in which the middleware passes on arguments that are not JSON. */
const unparsed = "unparsed_arguments"

/** Returns the tools of a guard, or of a toolbox and its runtime, for LangChain. */
export const guardFor = <Tools extends AnyTool>(...source: GuardedBox.Source<Tools>): LangChainGuard => {
  const box = GuardedBox.make(source)
  const toolOf = ({ description, jsonSchema, name }: GuardedBox.BoxTool): LangChainTool => ({
    name,
    description,
    schema: jsonSchema as JsonObject, // a JSON Schema is an object
    lc_runnable: true,
    lc_namespace: ["effect-toolguard"],
    returnDirect: false,
    invoke: async (input: unknown, host: LangChainConfig = {}): Promise<never> => {
      const { args, id } = callOf(input)
      const call = { name, arguments: argumentsOf(args), callId: id, host }
      const { isFailure, text } = await box.answer(call, { signal: host.signal })
      const status = isFailure ? "error" : "success"
      const isMessage = id !== undefined && !("toolCallId" in host)
      // the overloads tell the two results apart
      return (isMessage ? { role: "tool", content: text, tool_call_id: id, name, status } : text) as never
    }
  })
  const tools = box.tools.map(toolOf)
  const names = new Set(tools.map(({ name }) => name))
  return {
    tools,
    middleware: {
      name: "toolguard",
      wrapToolCall: async (request, handler) => {
        const { name } = request.toolCall
        const isUnknown = (request as { readonly tool?: unknown }).tool === undefined
        const unknown = isUnknown ? { tool: toolOf({ name, description: "", jsonSchema: { type: "object" } }) } : {}
        const message = await handler({ ...request, ...unknown })
        if (isUnknown || names.has(name)) markFailure(message)
        return message
      },
      wrapModelCall: async (request, handler) => readable(await handler(request))
    },
    turn: box.turn
  }
}

const callOf = (input: unknown): { readonly args: unknown; readonly id: string | undefined } => {
  if (!isJsonObject(input) || input["type"] !== "tool_call") return { args: input, id: undefined }
  const { args, id } = input
  return { args, id: typeof id === "string" ? id : "" }
}

/** Returns the arguments, or the text that the middleware has passed on. */
const argumentsOf = (args: unknown): unknown => {
  if (!isJsonObject(args)) return args
  const text = args[unparsed]
  return typeof text === "string" && Object.keys(args).length === 1 ? text : args
}

/** Sets the status of the message of a failure, which LangChain sets only for errors that a tool throws. */
const markFailure = (message: unknown): void => {
  const { content } = message as { readonly content?: unknown }
  if (typeof content === "string" && content.startsWith('{"status":"error"'))
    Object.assign(message as object, { status: "error" })
}

/** Makes the calls of a model's message whose arguments are not JSON calls like the others. */
const readable = <Message>(message: Message): Message => {
  const { invalid_tool_calls: invalid, tool_calls: calls } = message as {
    readonly invalid_tool_calls?: ReadonlyArray<JsonObject>
    readonly tool_calls?: ReadonlyArray<JsonObject>
  }
  if (invalid === undefined || invalid.length === 0) return message
  const read = invalid.map(({ args, id, name }) => ({
    name: name ?? "",
    args: { [unparsed]: args ?? "" },
    id: id ?? "",
    type: "tool_call"
  }))
  return Object.assign(message as object, {
    tool_calls: [...(calls ?? []), ...read],
    invalid_tool_calls: []
  }) as Message
}

/** A tool of LangChain, as far as the guard reads it. */
export interface LangChainExistingTool {
  readonly name: string
  readonly description: string
  readonly schema: unknown
  // oxlint-disable-next-line typescript/no-explicit-any -- any function: a parameter is contravariant
  invoke(input: any, config?: any): Promise<unknown>
}

/** The policies by tool name. */
export type LangChainPolicies<Name extends string> = { readonly [K in Name]: ExistingTools.ExistingPolicy }

/**
 * Puts tools of LangChain behind a guard: schemas, descriptions and functions stay as they are. The artifact of a tool with
 * `content_and_artifact` is not passed on.
 *
 * Throws a `RangeError` if a tool has no policy with `access`, or a schema that cannot be read.
 */
export const guardTools = <More extends HostedTool = never>(
  tools: ReadonlyArray<LangChainExistingTool>,
  policies: LangChainPolicies<string>,
  options?: ExistingTools.ExistingOptions<More>
): LangChainGuard & { readonly guard: PromiseGuard } => {
  const guard = ExistingTools.guard(tools.map(read), policies, options)
  return { ...guardFor(guard), guard }
}

const read = (tool: LangChainExistingTool): ExistingTools.ExistingTool => ({
  name: tool.name,
  description: tool.description,
  // a schema of Zod, or a JSON Schema
  parameters: ExistingTools.untransformed(tool.schema as ToolSchema),
  execute: (args, { host, signal }: CallContext) => {
    const { toolCall: _, ...config } = (host ?? {}) as JsonObject
    return tool.invoke(args, { ...config, signal })
  }
})
