/** Executes one round: sends a request to the model, and runs the calls of its reply through the guard. */
import type { Tokens } from "#domain/transcript/Price"
import * as Transcript from "#domain/transcript/Transcript"
import type * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { Guard, ModelAnswer } from "#src/guard/Guard"
import * as ModelRequest from "./ModelRequest.ts"
import { answerAll, type CallPart, type RoundContext, toolMessage } from "./RoundCalls.ts"
import type { Reply } from "./Steps.ts"
import * as Stop from "./Stop.ts"
import type { AnyTool, RequirementsOf } from "#src/tool/ToolClass"

/** The usage of a round. */
export interface RoundUsage {
  readonly calls: number
  readonly attempts: number
  readonly tokens: Tokens
  /** The model that answered; undefined if no model answered. */
  readonly model: string | undefined
}

/** The answer to a call, with the call's id and the tool name that the model used. */
export type AnsweredCall = ModelAnswer & { readonly tool: string; readonly callId: string }

/** The result of a round. */
export interface RoundResult {
  readonly transcript: Prompt.Prompt
  readonly spent: RoundUsage
  readonly result:
    | { readonly _tag: "Said"; readonly text: string; readonly finishReason: Response.FinishReason }
    | { readonly _tag: "Called"; readonly answers: ReadonlyArray<AnsweredCall> }
    | { readonly _tag: "Failed"; readonly error: AiError.AiError }
    | Stop.StopCause
}

const nothing: RoundUsage = {
  calls: 0,
  attempts: 0,
  tokens: { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 },
  model: undefined
}

/** Executes one round. */
export const make = <Tools extends AnyTool>(
  context: RoundContext<Tools>
): Effect.Effect<RoundResult, never, LanguageModel.LanguageModel | RequirementsOf<Tools> | Guard> =>
  Effect.gen(function* () {
    const { round, steps, stop, transcript } = context
    const step = yield* steps.reply(
      round,
      Stop.until(stop, Effect.map(ModelRequest.make(context), replyTo(context.seenIds)))
    )
    if (step._tag !== "Done") return { transcript, spent: nothing, result: step }
    const reply = step.value
    if (reply._tag === "Failed") return { transcript, spent: nothing, result: reply }
    const { finishReason, model = "" } = reply
    const tokens = {
      input: reply.inputTokens,
      cachedInput: reply.cachedInputTokens ?? 0,
      cacheWrite: reply.cacheWriteTokens ?? 0,
      output: reply.outputTokens
    }
    const withReply = Prompt.concat(transcript, reply.said)
    const parts = reply.said.content.flatMap(({ content, role }) => (role === "assistant" ? content : []))
    const calls = parts.filter((part) => part.type === "tool-call").filter((part) => !part.providerExecuted)
    const spent = { calls: calls.length, attempts: 0, tokens, model }
    if (calls.length === 0) {
      return { transcript: withReply, spent, result: { _tag: "Said", text: textOf(parts), finishReason } }
    }
    const cutId = finishReason === "length" ? calls.at(-1)?.id : undefined
    const answers = yield* answerAll(context, calls, cutId)
    return {
      transcript: Prompt.concat(withReply, [toolMessage(calls, answers)]),
      spent: { ...spent, attempts: answers.reduce((sum, { attempts }) => sum + attempts, 0) },
      result: { _tag: "Called", answers: withNames(calls, answers) }
    }
  })

/** Converts a response to a reply. Call ids that already occur in the conversation are replaced. */
const replyTo =
  (seenIds: ReadonlySet<string>) =>
  (response: Result.Result<ModelRequest.Parts, AiError.AiError>): Reply => {
    if (response._tag === "Failure") return { _tag: "Failed", error: response.failure }
    const { parts } = Transcript.freshIds(response.success.filter(isModelPart), seenIds)
    const finish = parts.findLast((part) => part.type === "finish")
    const model = response.success.findLast((part) => part.type === "response-metadata")?.modelId
    const input = finish?.usage.inputTokens
    return {
      _tag: "Said",
      said: Prompt.fromResponseParts(parts),
      finishReason: finish?.reason ?? "unknown",
      inputTokens: Math.max(0, input?.total ?? 0),
      outputTokens: Math.max(0, finish?.usage.outputTokens.total ?? 0),
      ...(model === undefined ? {} : { model }),
      ...ifStated("cachedInputTokens", input?.cacheRead),
      ...ifStated("cacheWriteTokens", input?.cacheWrite)
    }
  }

/** Returns a field with a count, or no field if the provider does not state a positive count. */
const ifStated = <Name extends string>(name: Name, count: number | undefined): { readonly [K in Name]?: number } =>
  count === undefined || count <= 0 ? {} : ({ [name]: count } as { readonly [K in Name]: number }) // a computed key widens the type

/**
 * True if the model may produce the part. Only the guard produces results of the toolbox's tools and approval requests.
 */
const isModelPart = (part: Response.AnyPart): boolean =>
  part.type === "tool-result" ? part.providerExecuted : part.type !== "tool-approval-request"

const withNames = (calls: ReadonlyArray<CallPart>, answers: ReadonlyArray<ModelAnswer>): ReadonlyArray<AnsweredCall> =>
  answers.map((answer, index) => ({ ...answer, tool: calls[index]?.name ?? "", callId: calls[index]?.id ?? "" }))

const textOf = (parts: ReadonlyArray<{ readonly type: string; readonly text?: string }>): string =>
  parts.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("")
