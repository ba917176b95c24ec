/**
 * Guards tools for programs without Effect: one value with the tools to advertise, the turns, and the calls.
 *
 * **When to use**
 *
 * In any loop that calls a model and answers its tool calls: with the SDK of a provider, or in a web server. Create one
 * guard per process, and run each message of a user as a turn.
 *
 * **Details**
 *
 * - All state is in this process. `layer` replaces stores and adds policies: every service and layer of the library can
 *   be used.
 * - A call that needs a person asks `approve`. Without `approve`, the call is refused: no person can be asked.
 */
import { Escalation, type EscalationAnswer, type EscalationRequest } from "#services/Escalation"
import { Guard } from "#src/guard/Guard"
import { ReadResult } from "#src/tool/ReadResult"
import * as Toolbox from "#src/tool/Toolbox"
import * as Tool from "effect/ai/Tool"
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { DynamicTool } from "#src/tool/DynamicTool"
import * as PromiseHost from "./PromiseHost.ts"
import * as Rejection from "./Rejection.ts"
import type { PromiseTool } from "./PromiseTool.ts"

/** A tool of the guard: made by `tool`, imported from a document or a server, or `readResult`. */
export type HostedTool = DynamicTool | typeof ReadResult

/** What a person decides: yes or no, with their name and a reason, or an answer in words, which the model reads. */
export type Decision =
  | boolean
  | { readonly approved: boolean; readonly by?: string; readonly reason?: string }
  | { readonly answer: string; readonly by?: string }

/** What a guard needs. */
export interface GuardOptions<Tools extends HostedTool = HostedTool> {
  /** The tools. With `readResult` among them, a model reads the rest of a large result; without it, only a preview. */
  readonly tools: ReadonlyArray<Tools>
  /**
   * Asks a person whether a call may run, and waits for the decision. The time does not count against the call's
   * deadline; `signal` aborts when the call is interrupted. If the promise is rejected, there is no decision and the call is not made.
   */
  readonly approve?: (request: EscalationRequest, signal: AbortSignal) => Promise<Decision>
  /** Informs a person, for example about a write whose effect is unknown. Default: no person is informed. */
  readonly inform?: (request: EscalationRequest) => void | Promise<void>
  /** Services that replace those of `Guard.layerMemory`, and policies. */
  // oxlint-disable-next-line typescript/no-explicit-any -- any services: a layer is contravariant in them
  readonly layer?: Layer.Layer<any, unknown> | Layer.Layer<never, unknown>
}

/** A tool as a provider's request describes it. */
export interface AdvertisedTool {
  readonly name: string
  readonly description: string
  /** The closed JSON Schema of the arguments. */
  readonly parameters: JsonSchema.JsonSchema
}

/** The guard. Its methods are functions that can be passed on. */
export interface PromiseGuard<Tools extends HostedTool = HostedTool> extends PromiseHost.PromiseHost, AsyncDisposable {
  /** The tools, to describe them in requests to a model. */
  readonly tools: ReadonlyArray<AdvertisedTool>
  /** Calls a tool for the program: resolves with its result, and rejects with one of the eight failures. */
  readonly call: <Encoded, Data>(
    tool: PromiseTool<Encoded, Data>,
    args: Encoded,
    options?: PromiseHost.CallOptions
  ) => Promise<Data>
  readonly toolbox: Toolbox.Toolbox<Tools>
  /** The runtime of the guard's layer, for programs that use Effect too, and for the adapters of frameworks. */
  readonly runtime: ManagedRuntime.ManagedRuntime<Guard | ReadResult, unknown>
  /** Ends the guard and closes its stores. Running calls are interrupted. */
  readonly dispose: () => Promise<void>
}

/**
 * Creates the guard. Throws a `RangeError` if two tools have the same name or id. The stores of `layer` are opened by the
 * first call, which rejects if one cannot be opened.
 */
export const createGuard = <const Tools extends HostedTool>({
  approve,
  inform,
  layer,
  tools
}: GuardOptions<Tools>): PromiseGuard<Tools> => {
  const person =
    approve === undefined && inform === undefined
      ? Layer.empty
      : Layer.succeed(Escalation, {
          isShared: false,
          ask: (request) => (approve === undefined ? Effect.succeed(noPerson) : asked(approve, request)),
          inform: (request) => informed(inform, request)
        })
  // any services: the type of the option does not name them
  const given = (layer ?? Layer.empty) as Layer.Layer<never, unknown>
  const runtime = ManagedRuntime.make(
    Layer.provideMerge(ReadResult.layerGuard, Guard.layerMemoryWith(Layer.merge(person, given)))
  )
  const make: (...tools: ReadonlyArray<HostedTool>) => Toolbox.Toolbox<HostedTool> = Toolbox.make
  const toolbox = make(...tools)
  const dispose = () => runtime.dispose()
  return {
    ...PromiseHost.make(runtime, toolbox),
    tools: tools.map(({ ai, jsonSchema, toolName }) => ({
      name: toolName,
      description: Tool.getDescription(ai) ?? "",
      parameters: jsonSchema
    })),
    call: (tool, args, options) =>
      // the tool's schemas have typed its result
      runtime.runPromise(PromiseHost.inTurn(tool.call(args)), options) as Promise<never>,
    // it has exactly these tools
    toolbox: toolbox as unknown as Toolbox.Toolbox<Tools>,
    runtime,
    dispose,
    [Symbol.asyncDispose]: dispose
  }
}

const noPerson: EscalationAnswer = { _tag: "NoPerson" }

const asked = (
  approve: NonNullable<GuardOptions["approve"]>,
  request: EscalationRequest
): Effect.Effect<EscalationAnswer> =>
  Rejection.ofPromise((signal) => approve(request, signal)).pipe(
    Effect.map(answerOf),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning(`No decision about ${request.tool}: \`approve\` failed`, cause), noPerson)
    )
  )

const informed = (inform: GuardOptions["inform"], request: EscalationRequest): Effect.Effect<void> =>
  inform === undefined
    ? Effect.void
    : Rejection.ofPromise(() => inform(request)).pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning(`No person was informed about ${request.tool}: \`inform\` failed`, cause)
        )
      )

/** Returns the answer of a decision. Only `true` approves, whatever an untyped program returns. */
const answerOf = (decision: Decision): EscalationAnswer => {
  if (typeof decision !== "object" || decision === null) return answerOf({ approved: decision === true })
  const { by = "a person" } = decision
  if ("answer" in decision) return { _tag: "Answered", by, text: String(decision.answer) }
  return decision.approved === true
    ? { _tag: "Approved", by }
    : { _tag: "Denied", by, reason: String(decision.reason ?? "") }
}
