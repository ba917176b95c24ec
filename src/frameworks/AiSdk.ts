/**
 * Runs guarded tools in the Vercel AI SDK: `generateText({ model, tools, repairToolCall })` and `streamText`.
 *
 * **Details**
 *
 * - The guard checks the arguments, not the AI SDK. The output of a tool is the envelope as a value, and the model reads
 *   the guard's text. The images and files of a result follow the text.
 * - `repairToolCall` lets the guard answer the calls that the AI SDK cannot run: unknown tools and arguments that are not
 *   JSON. The result of such a call is a `tool-error` with the guard's text. Without it, the AI SDK answers these calls.
 * - The `abortSignal` of the request interrupts the calls.
 *
 * **Gotchas**
 *
 * - If the finish reason of a response is neither `stop` nor `tool-calls`, the AI SDK does not run its complete calls.
 * - `needsApproval` of guarded tools is never set: the guard asks a person.
 */
import type { Envelope } from "#domain/envelope/Envelope"
import type { ShownPart } from "#domain/parts/ShownPart"
import { isJsonObject } from "#domain/json/JsonObject"
import { isStandard, type ToolSchema } from "#domain/schema/foreign/StandardContract"
import type { ModelAnswer } from "#pipeline/ModelCall"
import type { HostedTool, PromiseGuard } from "#src/promise/PromiseGuard"
import type { CallContext } from "#src/promise/PromiseTool"
import type { PromiseHost } from "#src/promise/PromiseHost"
import type { AnyTool } from "#src/tool/ToolClass"
import type { StandardSchemaV1 } from "effect/StandardSchema"
import * as ExistingTools from "./ExistingTools.ts"
import * as GuardedBox from "./GuardedBox.ts"

/** The part of the AI SDK's options of `execute` that the guard reads. */
export interface AiSdkCallOptions {
  readonly toolCallId: string
  readonly abortSignal?: AbortSignal | undefined
}

/** A file in the output that a model reads. */
interface AiSdkFile {
  type: "file"
  data: { type: "data"; data: string } | { type: "url"; url: URL }
  mediaType: string
  filename?: string
}

/** The output that a model reads. */
export type AiSdkOutput =
  | { type: "text" | "error-text"; value: string }
  | { type: "content"; value: Array<{ type: "text"; text: string } | AiSdkFile> }

/** A guarded tool for the AI SDK. */
export interface AiSdkTool<Arguments, Data> {
  readonly description: string
  readonly inputSchema: GuardedBox.AdvertisedSchema<Arguments>
  /** Returns the envelope. Rejects only if the call is interrupted. */
  readonly execute: (input: Arguments, options: AiSdkCallOptions) => Promise<Envelope<Data>>
  readonly toModelOutput: (options: { readonly output: Envelope<Data> }) => AiSdkOutput
}

/** A call that the AI SDK cannot run. */
interface UnreadCall {
  readonly toolCall: { readonly toolCallId: string; readonly toolName: string; readonly input: string }
  readonly error: Error
  readonly abortSignal?: AbortSignal | undefined
}

/** Guarded tools for the AI SDK. */
export interface AiSdkGuard<Tools> extends Pick<PromiseHost, "turn"> {
  /** The option `tools` of `generateText`, `streamText` and agents. Further tools may be added. */
  readonly tools: Tools
  /** The option `repairToolCall`: writes the guard's text into the error of the call. */
  readonly repairToolCall: (call: UnreadCall) => Promise<null>
}

/** The tools of a toolbox by name, as the AI SDK takes them. */
export type AiSdkTools<Tools extends AnyTool> = {
  readonly [T in Tools as T["toolName"]]: AiSdkTool<GuardedBox.JsonArgumentsOf<T>, GuardedBox.DataOf<T>>
}

/** Returns the tools of a guard, or of a toolbox and its runtime, for the AI SDK. */
export const guardFor = <Tools extends AnyTool>(...source: GuardedBox.Source<Tools>): AiSdkGuard<AiSdkTools<Tools>> => {
  const box = GuardedBox.make(source)
  /** The answers by their envelopes, which the AI SDK passes on unchanged within a request. */
  const answers = new WeakMap<object, ModelAnswer>()
  const toolOf = (tool: GuardedBox.BoxTool): AiSdkTool<unknown, unknown> => ({
    description: tool.description,
    inputSchema: GuardedBox.advertised(tool),
    execute: async (input, host) => {
      const { abortSignal: signal, toolCallId: callId } = host
      const answer = await box.answer({ name: tool.name, arguments: input, callId, host }, { signal })
      const envelope = GuardedBox.envelopeOf(answer)
      answers.set(envelope, answer)
      return envelope
    },
    toModelOutput: ({ output }) => outputOf(output, answers.get(output))
  })
  return {
    tools: Object.fromEntries(box.tools.map((tool) => [tool.name, toolOf(tool)])) as never, // the tools have these types
    turn: box.turn,
    repairToolCall: async ({ abortSignal: signal, error, toolCall: { input, toolCallId: callId, toolName: name } }) => {
      const { text } = await box.answer({ name, arguments: input, callId }, { signal })
      // the model reads the text of this error, because the call is not repaired
      error.message = text
      Object.defineProperty(error, "toString", { value: () => text })
      return null
    }
  }
}

const outputOf = (output: Envelope, answer: ModelAnswer | undefined): AiSdkOutput => {
  // an output that was stored and read again has no answer
  const text = answer?.text ?? JSON.stringify(output)
  const parts = answer?.parts ?? []
  if (parts.length === 0) return { type: output.status === "error" ? "error-text" : "text", value: text }
  return { type: "content", value: [{ type: "text", text }, ...parts.map(partOf)] }
}

const partOf = (part: ShownPart): { type: "text"; text: string } | AiSdkFile => {
  if (part.type === "text") return { type: "text", text: part.text }
  const { data, fileName, mediaType } = part
  return {
    type: "file",
    data: /^https?:/iu.test(data) ? { type: "url", url: new URL(data) } : { type: "data", data },
    mediaType,
    ...(fileName === undefined ? {} : { filename: fileName })
  }
}

/** A tool of the AI SDK, as far as the guard reads it. */
export interface AiSdkExistingTool {
  readonly type?: string | undefined
  readonly description?: unknown
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
  readonly needsApproval?: unknown
  // oxlint-disable-next-line typescript/no-explicit-any -- any function: a parameter is contravariant
  readonly execute?: ((input: any, options: any) => unknown) | undefined
}

type InputOf<T> = T extends { readonly execute?: infer F }
  ? F extends (input: infer I, ...rest: never) => unknown
    ? I
    : never
  : never
type Settled<R> = R extends AsyncIterable<infer Each> ? Each : Awaited<R>
type OutputOf<T> = T extends { readonly execute?: infer F }
  ? F extends (...args: never) => infer R
    ? Settled<R>
    : never
  : never

/** The tools as they were, with guarded functions. */
export type AiSdkGuardedTools<Tools> = {
  readonly [K in keyof Tools]: Pick<Tools[K], keyof Tools[K] & ("title" | "metadata" | "providerOptions")> &
    AiSdkTool<InputOf<Tools[K]>, OutputOf<Tools[K]>>
}

/** The policies by tool name. */
export type AiSdkPolicies<Tools> = {
  readonly [K in keyof Tools]: ExistingTools.ExistingPolicy<InputOf<Tools[K]>, OutputOf<Tools[K]>>
}

/**
 * Puts tools of the AI SDK behind a guard: schemas, descriptions and functions stay as they are. The functions receive
 * their options, with the guard's signal as `abortSignal`. Further fields (`title`, `providerOptions` …) are kept;
 * `toModelOutput` and `outputSchema` are not, because the output is an envelope.
 *
 * Throws a `RangeError` if a tool has no policy with `access`, has no `execute`, or is run by a provider.
 */
export const guardTools = <
  const Tools extends Readonly<Record<string, AiSdkExistingTool>>,
  More extends HostedTool = never
>(
  tools: Tools,
  policies: AiSdkPolicies<Tools>,
  options?: ExistingTools.ExistingOptions<More>
): AiSdkGuard<AiSdkGuardedTools<Tools> & AiSdkTools<More>> & { readonly guard: PromiseGuard } => {
  const existing = Object.entries(tools).map(([name, tool]) => read(name, tool))
  const guard = ExistingTools.guard(existing, policies, options)
  const { repairToolCall, tools: guarded, turn } = guardFor(guard)
  const merged = Object.entries(guarded).map(([name, tool]) => {
    const {
      needsApproval: _,
      outputSchema: __,
      toModelOutput: ___,
      ...kept
    } = (tools[name] ?? {}) as Readonly<Record<string, unknown>>
    return [name, { ...kept, ...tool }]
  })
  // the types of the tools are those of `tools` and `options.tools`
  return { tools: Object.fromEntries(merged) as never, turn, repairToolCall, guard }
}

const read = (name: string, tool: AiSdkExistingTool): ExistingTools.ExistingTool => {
  const { description, execute, inputSchema, needsApproval, outputSchema, type } = tool
  const parameters = schemaOf(inputSchema)
  return {
    name,
    description: typeof description === "string" ? description : "",
    parameters: typeof parameters === "string" ? undefined : parameters,
    success: outputSchema === undefined ? undefined : successOf(schemaOf(outputSchema)),
    needsApproval: needsApproval as ExistingTools.ExistingTool["needsApproval"], // the AI SDK's type
    fault:
      type === "provider" || execute === undefined
        ? "is not run by this program, so that it cannot be guarded: remove it from these tools, and add it to the guarded ones."
        : typeof parameters === "string"
          ? parameters
          : undefined,
    execute: (args, { callId, host, signal }: CallContext) =>
      execute?.call(tool, args, { messages: [], ...(host as object), toolCallId: callId, abortSignal: signal })
  }
}

const successOf = (schema: ToolSchema | string): ToolSchema | undefined =>
  typeof schema === "string" ? undefined : schema

/** Returns the schema of the AI SDK in a form that the guard reads, or what is wrong with it. */
const schemaOf = (given: unknown): ToolSchema | string => {
  if (isStandard(given)) return given
  const schema = typeof given === "function" ? (given as () => unknown)() : given
  if (typeof schema !== "object" || schema === null || !("jsonSchema" in schema))
    return "has no `inputSchema` that can be read: use a schema such as z.object({ … }), or jsonSchema({ … })."
  const { jsonSchema, validate } = schema as { readonly jsonSchema: unknown; readonly validate?: unknown }
  if (!isJsonObject(jsonSchema)) return "has an asynchronous JSON Schema: await it before the tool is created."
  return typeof validate === "function" ? validating(jsonSchema, validate as Validate) : jsonSchema
}

type Validated =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error }
type Validate = (value: unknown) => Validated | Promise<Validated>

/** Returns a JSON Schema with the AI SDK's own validation as a Standard Schema. */
const validating = (jsonSchema: Record<string, unknown>, validate: Validate): StandardSchemaV1 => {
  const print = () => jsonSchema
  const resultOf = (validated: Validated): StandardSchemaV1.Result<unknown> =>
    validated.success ? { value: validated.value } : { issues: [{ message: validated.error.message }] }
  const props = {
    version: 1 as const,
    vendor: "ai",
    validate: (value: unknown) => {
      const validated = validate(value)
      return validated instanceof Promise ? validated.then(resultOf) : resultOf(validated)
    },
    jsonSchema: { input: print, output: print }
  }
  return { "~standard": props }
}
