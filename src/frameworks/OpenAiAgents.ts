/**
 * Runs guarded tools in the OpenAI Agents SDK: `new Agent({ tools })` and `run(agent, input, options)`.
 *
 * **Details**
 *
 * - The guard parses and checks the arguments, not the SDK. The output of a tool is the guard's text, with the images and
 *   files of a result after it.
 * - `options` lets the guard answer unknown tools, which otherwise end the run.
 * - `guardModel` passes arguments that are no JSON object on to the guard. Without it, such a call ends the run: the SDK
 *   asks for an approval of it.
 * - The `signal` of the run interrupts the calls.
 *
 * **Gotchas**
 *
 * `needsApproval` of guarded tools is never true: the guard asks a person.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import type { ShownPart } from "#domain/parts/ShownPart"
import type { HostedTool, PromiseGuard } from "#src/promise/PromiseGuard"
import type { PromiseHost } from "#src/promise/PromiseHost"
import type { CallContext } from "#src/promise/PromiseTool"
import type { AnyTool } from "#src/tool/ToolClass"
import * as ExistingTools from "./ExistingTools.ts"
import * as GuardedBox from "./GuardedBox.ts"

/** The part of the SDK's details of a call that the guard reads. */
export interface AgentsCallDetails {
  readonly toolCall?: { readonly callId: string } | undefined
  readonly signal?: AbortSignal | undefined
}

/** What a guarded tool receives as `context.host`: the run's context and the details of the call. */
export interface AgentsHost {
  readonly runContext: unknown
  readonly details: AgentsCallDetails | undefined
}

/** The JSON Schema of arguments, as the SDK types it. */
interface AgentsParameters {
  type: "object"
  properties: Record<string, Record<string, unknown>>
  required: Array<string>
  additionalProperties: false
}

/** A part of a tool's output. */
type AgentsPart =
  | { type: "text"; text: string }
  | { type: "image"; image: { data: string; mediaType: string } | { url: string } }
  | { type: "file"; file: { data: string; mediaType: string; filename: string } | { url: string; filename?: string } }

/** A guarded tool for the SDK. */
export interface AgentsTool {
  readonly type: "function"
  readonly name: string
  readonly description: string
  readonly parameters: AgentsParameters
  readonly strict: false
  /** Returns the envelope as text. Rejects only if the call is interrupted. */
  readonly invoke: (
    runContext: unknown,
    input: string,
    details?: AgentsCallDetails
  ) => Promise<string | Array<AgentsPart>>
  readonly needsApproval: () => Promise<boolean>
  readonly isEnabled: () => Promise<boolean>
}

/** The call of an unknown tool, and other errors that the SDK formats. */
interface AgentsToolError {
  readonly kind: string
  readonly toolName: string
  readonly callId: string
}

/** Guarded tools for the SDK. */
export interface AgentsGuard extends Pick<PromiseHost, "turn"> {
  /** The option `tools` of an agent. */
  readonly tools: Array<AgentsTool>
  /** Options of `run`, with which the guard answers unknown tools. */
  readonly options: {
    readonly toolNotFoundBehavior: "return_error_to_model"
    readonly toolErrorFormatter: (error: AgentsToolError) => Promise<string | undefined>
  }
}

/** Returns the tools of a guard, or of a toolbox and its runtime, for the SDK. */
export const guardFor = <Tools extends AnyTool>(...source: GuardedBox.Source<Tools>): AgentsGuard => {
  const box = GuardedBox.make(source)
  return {
    tools: box.tools.map(({ description, jsonSchema, name }) => ({
      type: "function",
      name,
      description,
      parameters: parametersOf(jsonSchema),
      strict: false,
      invoke: async (runContext, input, details) => {
        const host: AgentsHost = { runContext, details }
        const call = { name, arguments: textOf(input), callId: details?.toolCall?.callId, host }
        const { parts = [], text } = await box.answer(call, { signal: details?.signal })
        return parts.length === 0 ? text : [{ type: "text", text }, ...parts.map(partOf)]
      },
      needsApproval: async () => false,
      isEnabled: async () => true
    })),
    options: {
      toolNotFoundBehavior: "return_error_to_model",
      // the SDK does not say which arguments the call has
      toolErrorFormatter: async ({ callId, kind, toolName: name }) =>
        kind === "tool_not_found" ? (await box.answer({ name, arguments: {}, callId })).text : undefined
    },
    turn: box.turn
  }
}

/** The SDK requires all fields of the type, which a JSON Schema may omit. */
const parametersOf = (jsonSchema: object): AgentsParameters => ({
  type: "object",
  properties: {},
  required: [],
  ...jsonSchema,
  additionalProperties: false
})

/** The field in which `guardModel` passes on arguments that are no JSON object. */
const unparsed = "unparsed_arguments"

/** Returns the arguments as the model wrote them. */
const textOf = (input: string): string => {
  const args = objectOf(input)
  const text = args?.[unparsed]
  return typeof text === "string" && Object.keys(args ?? {}).length === 1 ? text : input
}

const objectOf = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const partOf = (part: ShownPart): AgentsPart => {
  if (part.type === "text") return { type: "text", text: part.text }
  const { data, fileName, mediaType } = part
  const isUrl = /^https?:/iu.test(data)
  if (mediaType.startsWith("image/")) return { type: "image", image: isUrl ? { url: data } : { data, mediaType } }
  const filename = fileName ?? "file"
  return { type: "file", file: isUrl ? { url: data, filename } : { data, mediaType, filename } }
}

/** A model of the SDK, as far as the guard reads it. */
interface AgentsModel<Request, Response, Event> {
  getResponse(request: Request): Promise<Response>
  getStreamedResponse(request: Request): AsyncIterable<Event>
}

/**
 * Wraps a model so that arguments that are no JSON object reach the guard: their text becomes the field
 * `unparsed_arguments` of an object, also in the history.
 */
export const guardModel = <Request, Response, Event, M extends AgentsModel<Request, Response, Event>>(
  model: M & AgentsModel<Request, Response, Event>
): M => {
  const wrapped: AgentsModel<Request, Response, Event> = {
    getResponse: async (request) => withJson(await model.getResponse(request)),
    getStreamedResponse: async function* (request) {
      for await (const event of model.getStreamedResponse(request)) yield withJsonEvent(event)
    }
  }
  // all other members are those of the model
  return new Proxy(model, {
    get: (target, key) => {
      if (Object.hasOwn(wrapped, key)) return wrapped[key as keyof typeof wrapped]
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === "function" ? value.bind(target) : value
    }
  })
}

const withJsonEvent = <Event>(event: Event): Event => {
  const { response, type } = event as { readonly type?: unknown; readonly response?: object }
  return type === "response_done" && response !== undefined ? { ...event, response: withJson(response) } : event
}

const withJson = <Response>(response: Response): Response => {
  const { output } = response as { readonly output?: unknown }
  if (!Array.isArray(output)) return response
  return { ...response, output: output.map((item: JsonObject) => ({ ...item, ...argumentsOf(item) })) }
}

const argumentsOf = ({ arguments: text, type }: JsonObject): { readonly arguments?: string } =>
  type === "function_call" && typeof text === "string" && objectOf(text) === undefined
    ? { arguments: JSON.stringify({ [unparsed]: text }) }
    : {}

/** A function tool of the SDK, as far as the guard reads it. */
export interface AgentsExistingTool {
  readonly type: string
  readonly name: string
  readonly description: string
  readonly parameters: object
  // oxlint-disable-next-line typescript/no-explicit-any -- any function: a parameter is contravariant
  readonly invoke: (runContext: any, input: string, details?: any) => Promise<unknown>
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly needsApproval: (runContext: any, input: any, callId?: string) => Promise<boolean>
}

/** The policies by tool name. */
export type AgentsPolicies<Name extends string> = { readonly [K in Name]: ExistingTools.ExistingPolicy }

/**
 * Puts function tools of the SDK behind a guard: schemas, descriptions and functions stay as they are.
 *
 * **Gotchas**
 *
 * A tool without `errorFunction: null` hides its errors from the guard, too: the SDK's default text is a failure without
 * a reason, and the text of an own `errorFunction` is a result.
 *
 * Throws a `RangeError` if a tool has no policy with `access`, or is no function tool.
 */
export const guardTools = <More extends HostedTool = never>(
  tools: ReadonlyArray<AgentsExistingTool>,
  policies: AgentsPolicies<string>,
  options?: ExistingTools.ExistingOptions<More>
): AgentsGuard & { readonly guard: PromiseGuard } => {
  const guard = ExistingTools.guard(tools.map(read), policies, options)
  return { ...guardFor(guard), guard }
}

/** What the SDK's tools return if they fail and have no `errorFunction`. */
const failed = "An error occurred while running the tool. Please try again."

const read = (tool: AgentsExistingTool): ExistingTools.ExistingTool => ({
  name: tool.name,
  description: tool.description,
  parameters: tool.parameters as JsonObject, // a JSON Schema
  fault:
    tool.type === "function"
      ? undefined
      : "is no function tool, so that it cannot be guarded: remove it from these tools, and add it to the agent's.",
  // a tool without `needsApproval` says false, which decides nothing
  needsApproval: async (args, host) =>
    (await tool.needsApproval((host as AgentsHost | undefined)?.runContext, args)) || undefined,
  execute: async (args, { host, signal }: CallContext) => {
    const { details, runContext } = (host ?? {}) as Partial<AgentsHost>
    const result = await tool.invoke(runContext, JSON.stringify(args), { ...details, signal })
    if (result === failed) throw new Error("The tool failed, and did not say why.")
    return result
  }
})
