/**
 * Helpers for tests of the pipeline, which define tools with scripted handlers and provide a guard.
 *
 * Tools, handlers and requirements are loosely typed, with `any` and casts, so that a test can combine them freely.
 */
import { compiledOf } from "#pipeline/call/CompiledTool"
import * as Call from "#pipeline/call/Call"
import * as GuardPolicies from "#pipeline/call/GuardPolicies"
import type { Dispatch, Next, Stage } from "#pipeline/call/Stage"
import type { Failure } from "#domain/failure/Failure"
import type { Outcome } from "#domain/call/Outcome"
import type { Turn } from "#domain/turn/Turn"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { Clock, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

/** A tool without precise types. Tests of the types are in `test/types`. */
export type Tool = GuardedTool.AnyTool

export type LooseHandler = (args: any, context: GuardedTool.HandlerContext) => Effect.Effect<any, any, any>

const defaults = {
  description: "Searches. Read-only.",
  access: "read",
  parameters: Schema.Struct({ q: Schema.String }),
  success: Schema.Struct({ n: Schema.Int })
}

// tests define tools by plain objects
const service = GuardedTool.Service<never>() as unknown as (name: string, definition: object) => Tool

/** Defines a tool, by default a read with the parameters `{ q: string }` and the result `{ n: integer }`. */
export const define = (name: string, definition: object = {}): Tool => service(name, { ...defaults, ...definition })

/** Creates a handler that returns each answer in turn, then repeats the last answer, and records its calls. */
export const scripted = (...answers: ReadonlyArray<unknown>) => {
  const calls: Array<{ readonly args: any; readonly context: GuardedTool.HandlerContext; readonly at: number }> = []
  const handler: LooseHandler = (args, context) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) => {
      calls.push({ args, context, at })
      const answer = answers[Math.min(calls.length, answers.length) - 1]
      if (Effect.isEffect(answer)) return answer
      return typeof answer === "function" ? (answer as LooseHandler)(args, context) : Effect.succeed(answer)
    })
  return { handler, calls, runs: () => calls.length }
}

/** Returns the layer of a tool with a handler of any type. */
export const handled = (tool: Tool, handler: unknown): Layer.Layer<any> =>
  tool.layerTest(handler as never) as Layer.Layer<any>

/** Returns the layer of a tool whose handler uses a scope or other services. */
export const handledInScope = (tool: Tool, handler: unknown): Layer.Layer<any> =>
  tool.layer(handler as never) as Layer.Layer<any>

/** Defines a tool with a scripted handler and its layer. */
export const tool = (name: string, definition: object, ...answers: ReadonlyArray<unknown>) => {
  const tool = define(name, definition)
  const script = scripted(...answers)
  return { tool, layer: handled(tool, script.handler), ...script }
}

export const turn: Turn = { conversation: "conversation", turn: "turn", tenant: "tenant" }

/** Provides tools and a guard, and runs the effect as one turn. */
export const within =
  (
    layers: ReadonlyArray<Layer.Layer<any>>,
    guard: Layer.Layer<any> = Guard.layerMemory,
    options: Partial<Turn> = turn
  ) =>
  <A, E>(effect: Effect.Effect<A, E, any>): Effect.Effect<A, E> =>
    Guard.turn(effect, options).pipe(Effect.provide(Layer.mergeAll(guard, ...layers))) as Effect.Effect<A, E>

/** Provides tools and a guard, and runs the effect outside a turn. */
export const outside =
  (layers: ReadonlyArray<Layer.Layer<any>>, guard: Layer.Layer<any> = Guard.layerMemory) =>
  <A, E>(effect: Effect.Effect<A, E, any>): Effect.Effect<A, E> =>
    effect.pipe(Effect.provide(Layer.mergeAll(guard, ...layers))) as Effect.Effect<A, E>

/** Makes a call as a model does, and returns the answer with the parsed envelope. */
export const ask = (tools: ReadonlyArray<Tool>, name: string, args: unknown, more: object = {}) =>
  Effect.map(
    (Toolbox.make as (...tools: ReadonlyArray<Tool>) => Toolbox.Toolbox<Tool>)(...tools).answer({
      name,
      arguments: args,
      callId: "call",
      ...more
    }),
    (answer) => ({ ...answer, envelope: JSON.parse(answer.text) as any })
  )

/** Returns the failure of a call. */
export const failureOf = (effect: Effect.Effect<unknown, unknown, any>): Effect.Effect<Failure, unknown, any> =>
  Effect.flip(effect) as Effect.Effect<Failure, unknown, any>

/** Returns class, code and side effect of a failure. */
export const brief = (failure: Failure): ReadonlyArray<string> => [failure._tag, failure.code, failure.sideEffect]

/** Returns the value of a call, or `brief` of its failure. */
export const settled = (effect: Effect.Effect<unknown, unknown, any>): Effect.Effect<unknown, never, any> =>
  Effect.match(effect, { onSuccess: (value) => value, onFailure: (failure) => brief(failure as Failure) })

/** Makes a model's call. Returns the value or, like `settled`, `brief` of the failure. */
export const asked = (tool: Tool, args: unknown): Effect.Effect<unknown, never, any> =>
  Effect.map(ask([tool], tool.toolName, JSON.stringify(args)), ({ outcome }) =>
    outcome._tag === "Success" ? outcome.value : brief(outcome.failure)
  )

/** Forks an effect and starts it immediately. */
export const start = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** Returns the value of a fiber that has succeeded; otherwise undefined. */
export const poll = <A, E>(fiber: Fiber.Fiber<A, E>): A | undefined => {
  const exit = fiber.pollUnsafe()
  return exit !== undefined && Exit.isSuccess(exit) ? exit.value : undefined
}

/** Creates a call as a stage receives it. */
export const callOf = (tool: Tool, over: Partial<Call.Call> = {}): Effect.Effect<Call.Call> =>
  Effect.map(Effect.all([Effect.context<never>(), GuardPolicies.capture]), ([context, guardPolicies]) => ({
    ...Call.make({
      tool: compiledOf(tool),
      input: { q: "a" },
      origin: "program",
      requester: "model",
      callId: "call",
      round: 1,
      turn,
      context,
      guardPolicies,
      traceId: "trace"
    }),
    arguments: { q: "a" },
    key: () => `${tool.toolName} {"q":"a"}`,
    deadlineAt: 30_000,
    limitMillis: 5_000,
    ...over
  }))

const noDispatch: Dispatch = () => Effect.die(new Error("The stage was not expected to call another tool."))

/** Runs one stage. `next` replaces the rest of the pipeline, and `passed` contains the calls that reached it. */
export const alone = <R>(
  stage: Stage<R>,
  tool: Tool,
  next: Next = () => Effect.succeed<Outcome>({ _tag: "Success", value: "next" }),
  dispatch: Dispatch = noDispatch
) =>
  Effect.map(stage.make, (around) => {
    const passed: Array<Call.Call> = []
    const run = around(
      compiledOf(tool),
      dispatch
    )((call) => {
      passed.push(call)
      return next(call)
    })
    return {
      passed,
      run: (over: Partial<Call.Call> = {}) => Effect.flatMap(callOf(tool, over), run)
    }
  })

const request = HttpClientRequest.get("https://upstream.example/")

/** Creates an HTTP response as Effect's client returns it. */
export const response = (
  status: number,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null = null,
  headers: Record<string, string> = {}
): HttpClientResponse.HttpClientResponse =>
  HttpClientResponse.fromWeb(
    request,
    new Response(body, { status, headers: { "content-type": "application/json", ...headers } })
  )

/** Creates a body that sends a text and then fails with ECONNRESET. */
export const brokenBody = (text: string): ReadableStream<Uint8Array> => {
  let sent = false
  return new ReadableStream({
    pull: (controller) => {
      if (sent) {
        controller.error(Object.assign(new Error("terminated"), { code: "ECONNRESET" }))
        return
      }
      sent = true
      controller.enqueue(new TextEncoder().encode(text))
    }
  })
}

/** Runs an effect to its end while the test clock advances by ten minutes. */
export const complete = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* start(effect)
    yield* TestClock.adjust("10 minutes")
    return yield* Fiber.join(fiber)
  })
