/**
 * A language model for hosts that run tools themselves. A mistake of the model does not end the turn.
 *
 * effect/ai's own tool resolution fails the turn on an unknown name, returns results in the order of completion, and
 * does not explain truncated calls. With this layer, the guard answers the calls of a toolbox, in the order of the
 * calls. The answer to an unknown name suggests the nearest name, the answer to invalid JSON states the position of the
 * error, and the answer to a truncated call explains how to send it in parts.
 *
 * **When to use**
 *
 * Apply the layer once, to the layer of the model: `GuardedModel.layer.pipe(Layer.provide(model))`. `generateText`,
 * `generateObject`, `streamText` and `Chat` then work as before, with `toolkit: toolbox.toolkit` and
 * `Effect.provide(toolbox.handlers)`.
 *
 * **Details**
 *
 * - Calls run when the response is complete, because a truncated call is detected by the finish reason. Calls of a
 *   stream that ends without a finish part do not run.
 * - A new message of the user in the history starts a turn, even within one `Guard.turn`: budgets, recall and the
 *   counts of identical calls restart.
 * - Identical reads of one response run once; at most `concurrency` calls (default 8) run at a time.
 * - Empty and repeated call ids of a whole response are replaced; those of a stream are not.
 * - An approval in the history does not run a call by itself: the call passes the guard, which asks its own approver.
 *   An approval without a call is removed.
 *
 * **Gotchas**
 *
 * Requests with unguarded tools in their toolkit, and those with `disableToolCallResolution`, are passed on unchanged.
 */
import * as CallIds from "#domain/transcript/CallIds"
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as GuardPolicies from "#pipeline/call/GuardPolicies"
import { CurrentTurn } from "#services/CurrentTurn"
import { Guard, GuardedTurn } from "#src/guard/Guard"
import { guardedTools } from "#src/tool/GuardedAnnotation"
import * as HostedApprovals from "./HostedApprovals.ts"
import * as HostedCalls from "./HostedCalls.ts"

type Parts = ReadonlyArray<Response.AnyPart>

/** The fields of a request that this module reads; all other fields are passed on. */
interface Request {
  readonly prompt: Prompt.RawInput
  readonly toolkit?: HostedCalls.Kit | Effect.Effect<HostedCalls.Kit> | undefined
  readonly concurrency?: number | "unbounded" | undefined
  readonly disableToolCallResolution?: boolean | undefined
}

/** The wrapped model without its generic types. */
interface Model {
  readonly generateText: (request: Request) => Effect.Effect<{ readonly content: Parts }, AiError.AiError>
  readonly generateObject: (
    request: Request
  ) => Effect.Effect<{ readonly content: Parts; readonly value: unknown }, AiError.AiError>
  readonly streamText: (request: Request) => Stream.Stream<Response.AnyPart, AiError.AiError>
}

/** A request whose calls the guard answers. */
interface HostedRequest {
  /** The request to the wrapped model. */
  readonly forwarded: Request
  /** Answers to calls in the history that waited for an approval. */
  readonly settled: Parts
  readonly seenIds: ReadonlySet<string>
  readonly answer: (calls: Parts, absent: Response.FinishReason) => Effect.Effect<Parts>
}

type Services = Pick<HostedCalls.HostServices, "guard" | "guarded" | "policies">

const hostedRequest = (services: Services, request: Request): Effect.Effect<HostedRequest | undefined> =>
  Effect.gen(function* () {
    const { concurrency = 8, toolkit } = request
    if (toolkit === undefined || request.disableToolCallResolution === true) return undefined
    const kit = Effect.isEffect(toolkit) ? yield* toolkit : toolkit
    const tools = guardedTools(kit.tools)
    if (tools === undefined) return undefined
    const history = Prompt.make(request.prompt)
    const turn = yield* CurrentTurn
    const ofMessage = turn === undefined ? undefined : yield* services.guarded.turnOfMessage(turn, history)
    const answerCalls = HostedCalls.answerAll({ ...services, kit, tools, concurrency })
    const answerAll: typeof answerCalls = (calls) => Effect.provideService(answerCalls(calls), CurrentTurn, ofMessage)
    const { prompt, settled } = yield* HostedApprovals.settle(history, answerAll)
    const forwarded = {
      ...request,
      toolkit: kit,
      prompt,
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    }
    return {
      forwarded,
      settled,
      seenIds: CallIds.callIds(prompt),
      answer: (parts, absent) => answerAll(HostedCalls.of(parts, absent))
    }
  })

/** Adds the answers to the calls of a whole response. */
const withAnswers = (
  { answer, seenIds, settled }: HostedRequest,
  content: Parts
): Effect.Effect<Array<Response.AnyPart>> => {
  const { parts } = CallIds.freshIds(content, seenIds)
  return Effect.map(answer(parts, "stop"), (results) => [...settled, ...parts, ...results])
}

/** Adds the answers to the calls of a stream, before its finish part. A stream without a finish part ended early. */
const answeredStream = (hosting: HostedRequest, response: Stream.Stream<Response.AnyPart, AiError.AiError>) => {
  const calls: Array<Response.AnyPart> = []
  const finish: Array<Response.AnyPart> = []
  const before = response.pipe(
    Stream.filter((part) => {
      if (part.type === "tool-call") calls.push(part)
      if (part.type === "finish") finish.push(part)
      return part.type !== "finish"
    })
  )
  const after = Effect.suspend(() =>
    Effect.map(hosting.answer([...calls, ...finish], "unknown"), (results) =>
      Stream.fromIterable([...results, ...finish])
    )
  )
  return Stream.fromIterable(hosting.settled).pipe(Stream.concat(before), Stream.concat(Stream.unwrap(after)))
}

/** The model of the context, with its tool calls answered by the guard. */
export const layer: Layer.Layer<LanguageModel.LanguageModel, never, LanguageModel.LanguageModel | Guard> = Layer.effect(
  LanguageModel.LanguageModel,
  Effect.gen(function* () {
    const wrapped = yield* LanguageModel.LanguageModel
    const services = { guard: yield* Guard, guarded: yield* GuardedTurn, policies: yield* GuardPolicies.capture }
    // the methods are generic over tools that are known only at run time, which also requires the casts below
    const model = wrapped as unknown as Model
    const generateText: Model["generateText"] = (request) =>
      Effect.flatMap(hostedRequest(services, request), (hosting) =>
        hosting === undefined
          ? model.generateText(request)
          : model.generateText(hosting.forwarded).pipe(
              Effect.flatMap(({ content }) => withAnswers(hosting, content)),
              Effect.map((content) => new LanguageModel.GenerateTextResponse(content as never))
            )
      )
    const generateObject: Model["generateObject"] = (request) =>
      Effect.flatMap(hostedRequest(services, request), (hosting) =>
        hosting === undefined
          ? model.generateObject(request)
          : Effect.flatMap(model.generateObject(hosting.forwarded), ({ content, value }) =>
              Effect.map(
                withAnswers(hosting, content),
                (all) => new LanguageModel.GenerateObjectResponse(value, all as never)
              )
            )
      )
    const streamText: Model["streamText"] = (request) =>
      Stream.unwrap(
        Effect.map(hostedRequest(services, request), (hosting) =>
          hosting === undefined
            ? model.streamText(request)
            : answeredStream(hosting, model.streamText(hosting.forwarded))
        )
      )
    return { ...wrapped, generateText, generateObject, streamText } as unknown as typeof wrapped
  })
)
