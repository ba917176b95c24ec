/**
 * A language model for hosts that run tools themselves, so that a mistake of the model does not end the turn.
 *
 * effect/ai's own tool resolution fails the turn on an unknown name, returns results in the order of completion, and does
 * not explain truncated calls. With this layer the guard answers the calls of a toolbox: for an unknown name with the nearest
 * one, for invalid JSON with the position, for a truncated call with how to send it in parts, and all in the order of the
 * calls.
 *
 * **When to use**
 *
 * Once, around the layer of the model: `GuardedModel.layer.pipe(Layer.provide(model))`. `generateText`, `generateObject`,
 * `streamText` and `Chat` then work as before, with `toolkit: box.toolkit` and `Effect.provide(box.handlers)`.
 *
 * **Details**
 *
 * - Calls run when the response is complete: only then is it known whether the last one was truncated.
 * - Equal reads of one response run once; at most `concurrency` calls (default 8) run at a time.
 * - Empty and repeated call ids of a whole response are replaced; those of a stream are not.
 * - An approval in the history does not by itself run a call: the call passes the guard, which asks its own approver. An
 *   approval without a call is left out.
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
import { Guard, GuardedTurn } from "#src/guard/Guard"
import { guardedTools } from "#src/tool/GuardedAnnotation"
import * as HostedApprovals from "./HostedApprovals.ts"
import * as HostedCalls from "./HostedCalls.ts"

type Parts = ReadonlyArray<Response.AnyPart>

/** The fields of a request that matter here; the rest is passed on. */
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
interface Hosted {
  /** The request to the wrapped model. */
  readonly asked: Request
  /** Answers to calls in the history that waited for an approval. */
  readonly settled: Parts
  readonly seenIds: ReadonlySet<string>
  readonly answer: (calls: Parts) => Effect.Effect<Parts>
}

type Services = Pick<HostedCalls.Hosting, "guard" | "guarded">

const hosted = (services: Services, request: Request): Effect.Effect<Hosted | undefined> =>
  Effect.gen(function* () {
    const { concurrency = 8, toolkit } = request
    if (toolkit === undefined || request.disableToolCallResolution === true) return undefined
    const kit = Effect.isEffect(toolkit) ? yield* toolkit : toolkit
    const tools = guardedTools(kit.tools)
    if (tools === undefined) return undefined
    const answerAll = HostedCalls.answerAll({ ...services, kit, tools, concurrency })
    const { prompt, settled } = yield* HostedApprovals.settle(Prompt.make(request.prompt), answerAll)
    const asked = {
      ...request,
      toolkit: kit,
      prompt,
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    }
    return { asked, settled, seenIds: CallIds.callIds(prompt), answer: (parts) => answerAll(HostedCalls.of(parts)) }
  })

/** A whole response with the answers to its calls. */
const answered = ({ answer, seenIds, settled }: Hosted, content: Parts): Effect.Effect<Array<Response.AnyPart>> => {
  const { parts } = CallIds.freshIds(content, seenIds)
  return Effect.map(answer(parts), (results) => [...settled, ...parts, ...results])
}

/** A stream with the answers to its calls before its end. */
const answeredStream = (hosting: Hosted, said: Stream.Stream<Response.AnyPart, AiError.AiError>) => {
  const calls: Array<Response.AnyPart> = []
  const finish: Array<Response.AnyPart> = []
  const before = said.pipe(
    Stream.filter((part) => {
      if (part.type === "tool-call") calls.push(part)
      if (part.type === "finish") finish.push(part)
      return part.type !== "finish"
    })
  )
  const after = Effect.suspend(() =>
    Effect.map(hosting.answer([...calls, ...finish]), (results) => Stream.fromIterable([...results, ...finish]))
  )
  return Stream.fromIterable(hosting.settled).pipe(Stream.concat(before), Stream.concat(Stream.unwrap(after)))
}

/** The model of the context, with its tool calls answered by the guard. */
export const layer: Layer.Layer<LanguageModel.LanguageModel, never, LanguageModel.LanguageModel | Guard> = Layer.effect(
  LanguageModel.LanguageModel,
  Effect.gen(function* () {
    const wrapped = yield* LanguageModel.LanguageModel
    const services = { guard: yield* Guard, guarded: yield* GuardedTurn }
    // the methods are generic over tools that are known only at run time
    const model = wrapped as unknown as Model
    const generateText: Model["generateText"] = (request) =>
      Effect.flatMap(hosted(services, request), (hosting) =>
        hosting === undefined
          ? model.generateText(request)
          : model.generateText(hosting.asked).pipe(
              Effect.flatMap(({ content }) => answered(hosting, content)),
              Effect.map((content) => new LanguageModel.GenerateTextResponse(content as never))
            )
      )
    const generateObject: Model["generateObject"] = (request) =>
      Effect.flatMap(hosted(services, request), (hosting) =>
        hosting === undefined
          ? model.generateObject(request)
          : Effect.flatMap(model.generateObject(hosting.asked), ({ content, value }) =>
              Effect.map(
                answered(hosting, content),
                (all) => new LanguageModel.GenerateObjectResponse(value, all as never)
              )
            )
      )
    const streamText: Model["streamText"] = (request) =>
      Stream.unwrap(
        Effect.map(hosted(services, request), (hosting) =>
          hosting === undefined ? model.streamText(request) : answeredStream(hosting, model.streamText(hosting.asked))
        )
      )
    return { ...wrapped, generateText, generateObject, streamText } as unknown as typeof wrapped
  })
)
