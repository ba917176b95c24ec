/** Answers the calls of one response through the handlers of a toolbox. The results have the order of the calls. */
import * as CallKey from "#domain/call/CallKey"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import * as CallArguments from "#domain/transcript/CallArguments"
import * as Response from "effect/ai/Response"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { compiledOf } from "#pipeline/call/CompiledTool"
import type { GuardPolicies } from "#pipeline/call/GuardPolicies"
import { CurrentTurn } from "#services/CurrentTurn"
import type { Guard, GuardedTurn } from "#src/guard/Guard"
import { envelopeOf } from "#src/tool/Handlers"
import { HostedCall } from "#src/tool/HostedCall"

/** A toolkit with its handlers. */
export type Kit = Toolkit.WithHandler<Record<string, Tool.Any>>

/** A call. `isCut` is true if its arguments may be incomplete because the model's output ended early. */
export interface CallRequest {
  readonly id: string
  readonly name: string
  readonly params: unknown
  /** The text of the parameters; undefined if the provider did not keep it. */
  readonly argumentsText: string | undefined
  readonly isCut: boolean
}

/** Finish reasons of a complete response. */
const completeReasons: ReadonlySet<string> = new Set(["stop", "tool-calls", "pause"])

/**
 * Returns the calls that the host has to answer. The last call is truncated if the output reached its limit. All calls
 * count as truncated if the provider does not report a complete response, since any of their arguments may be
 * incomplete.
 *
 * `absent` is the finish reason of a response without a finish part.
 */
export const of = (
  parts: ReadonlyArray<Response.AnyPart>,
  absent: Response.FinishReason
): ReadonlyArray<CallRequest> => {
  const reason = parts.findLast((part) => part.type === "finish")?.reason ?? absent
  const calls = parts.filter((part) => part.type === "tool-call").filter((part) => part.providerExecuted !== true)
  return calls.map(({ id, metadata, name, params }, index) => ({
    id,
    name,
    params: params as unknown,
    argumentsText: CallArguments.keptText({ params, options: metadata }),
    isCut: !completeReasons.has(reason) && (reason !== "length" || index === calls.length - 1)
  }))
}

export interface HostServices {
  readonly guard: Guard["Service"]
  readonly guarded: GuardedTurn["Service"]
  /** The policies of the host's layer, which apply to its calls like policies in the caller's context. */
  readonly policies: GuardPolicies
  readonly kit: Kit
  readonly tools: ReadonlyMap<string, ToolReference>
  readonly concurrency: number | "unbounded"
}

type Result = Pick<Tool.HandlerResult<Tool.Any>, "encodedResult" | "isFailure" | "modelOutput" | "result">

/** Returns one result per call, in the order of the calls. Identical reads run once. */
export const answerAll =
  (hosting: HostServices) =>
  (calls: ReadonlyArray<CallRequest>): Effect.Effect<ReadonlyArray<Response.AnyPart>> => {
    const keys = calls.map((call, index) => keyOf(hosting.tools, call) ?? String(index))
    const distinct = [...new Set(keys)]
    const first = distinct.flatMap((key) => calls[keys.indexOf(key)] ?? [])
    return Effect.map(
      Effect.forEach(first, (call) => answer(hosting, call), { concurrency: hosting.concurrency }).pipe(
        Effect.updateContext((context: Context.Context<never>) => Context.merge(hosting.policies, context))
      ),
      (results) =>
        // every call has a key, and every key a result
        calls.map((call, index) => partOf(call, results[distinct.indexOf(keys[index] as string)] as Result))
    )
  }

/** Returns the key that identical reads of a response share; undefined for other calls. */
const keyOf = (tools: ReadonlyMap<string, ToolReference>, { isCut, name, params }: CallRequest): string | undefined => {
  const tool = tools.get(name)
  return !isCut &&
    typeof params === "object" &&
    params !== null &&
    tool !== undefined &&
    compiledOf(tool).definition.access === "read"
    ? CallKey.of(name, params)
    : undefined
}

const answer = ({ guard, guarded, kit, tools }: HostServices, call: CallRequest): Effect.Effect<Result> => {
  const { argumentsText, id: callId, isCut, name, params } = call
  if (!tools.has(name)) {
    return Effect.gen(function* () {
      const { isFailure, text } = yield* guard.answer(tools, {
        name,
        arguments: params,
        argumentsText,
        callId,
        isCut
      })
      const turn = yield* CurrentTurn
      if (turn !== undefined) yield* guarded.saw(turn, text)
      const result = envelopeOf(text)
      return { result, encodedResult: result, isFailure }
    })
  }
  // the guard decodes the parameters
  return kit.handle(name, params as never, callId).pipe(
    Stream.unwrap,
    Stream.runLast,
    Effect.flatMap(Effect.fromOption),
    // a guarded handler declares all of its failures and returns a result
    Effect.orDie,
    Effect.provideService(HostedCall, { argumentsText, isCut })
    // the layer of the handlers has provided their requirements, which the type does not show
  ) as unknown as Effect.Effect<Result>
}

const partOf = (
  { id, name }: CallRequest,
  { encodedResult, isFailure, modelOutput, result }: Result
): Response.AnyPart =>
  Response.makePart("tool-result", {
    id,
    name,
    result,
    encodedResult,
    ...(modelOutput === undefined ? {} : { modelOutput }),
    isFailure,
    preliminary: false,
    providerExecuted: false
  })
