/** The variants: each calls the same tool in a loop. */
import * as Toolbox from "#src/tool/Toolbox"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { Effect, Layer, ManagedRuntime, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import * as W from "./workload.ts"

/** A workload of `workload.ts`. */
export type Workload = typeof W.wide | typeof W.narrow

/** Runs n calls, and adds the milliseconds of each call to `latencies`, if it is set. */
export type Loop = (n: number, latencies?: Array<number>) => Promise<void>

export interface Variant {
  readonly name: string
  readonly loop: Loop
}

const timed =
  (call: () => Promise<unknown>): Loop =>
  async (n, latencies) => {
    for (let i = 0; i < n; i++) {
      const start = latencies === undefined ? 0 : performance.now()
      await call()
      latencies?.push(performance.now() - start)
    }
  }

/** Makes all calls in one fiber, as a program written with Effect does. */
const inFiber = <R>(call: Effect.Effect<unknown, unknown, R>, layer: Layer.Layer<R>): Loop => {
  const loop = (n: number, latencies?: Array<number>) =>
    Effect.gen(function* () {
      for (let i = 0; i < n; i++) {
        const start = latencies === undefined ? 0 : performance.now()
        yield* call
        latencies?.push(performance.now() - start)
      }
    })
  const runtime = ManagedRuntime.make(layer)
  return (n, latencies) => runtime.runPromise(loop(n, latencies))
}

/** The page of the latest call. Each call has a new page, so that budgets, recall and the loop detector see a new key. */
let page = 0
export const nextArguments = () => ({ ...W.goodArguments, page: (page += 1) })
const nextText = () => JSON.stringify(nextArguments())

export const byHand = (workload: Workload): ReadonlyArray<Variant> => [
  { name: "bare handler", loop: timed(() => workload.upstream(nextArguments())) },
  { name: "zod in and out", loop: timed(() => workload.zodCall(nextArguments())) },
  { name: "zod, JSON text to parse", loop: timed(() => workload.zodText(nextArguments())) },
  { name: "zod + JSON.stringify", loop: timed(() => workload.zodModel(nextText())) },
  { name: "zod, wrong arguments", loop: timed(() => W.zodFailure(W.badArguments)) }
]

/** Returns the variants of effect/ai's Toolkit. `label` says whether schema JIT is enabled. */
export const toolkit = (label: string, { Output, upstream }: Workload): ReadonlyArray<Variant> => {
  const search = Tool.make("search_orders", { parameters: W.Input(), success: Output(), failureMode: "return" })
  const kit = Toolkit.make(search)
  // a workload's upstream returns what its own schema describes
  const layer = kit.toLayer({ search_orders: (args) => Effect.promise(() => upstream(args) as Promise<never>) })
  // invalid arguments do not have the type of the parameters, so a cast is needed
  const handle = (args: () => unknown) =>
    Effect.flatMap(kit, (handlers) =>
      Effect.flatMap(handlers.handle("search_orders", args() as never), (results) => Stream.runLast(results))
    )
  return [
    {
      name: `Toolkit.handle, ${label}`,
      loop: inFiber(
        Effect.suspend(() => handle(nextArguments)),
        layer
      )
    },
    {
      name: `Toolkit.handle, ${label}, wrong arguments`,
      loop: inFiber(
        Effect.suspend(() => handle(() => W.badArguments)),
        layer
      )
    }
  ]
}

/** Returns the variants of the guard, with two tools. The second tool answers with JSON text. */
export const guarded = ({ Output, upstream, upstreamText }: Workload): ReadonlyArray<Variant> => {
  class Search extends GuardedTool.Service<Search>()("search_orders", {
    description: "Searches orders. Read-only.",
    access: "read",
    parameters: W.Input(),
    success: Output()
  }) {}
  class SearchText extends GuardedTool.Service<SearchText>()("search_orders_text", {
    description: "Searches orders. Read-only.",
    access: "read",
    parameters: W.Input(),
    success: Output()
  }) {}
  const tools = Toolbox.make(Search)
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(
      // a workload's upstream returns what its own schema describes
      Search.layer((args) => Effect.promise(() => upstream(args) as Promise<never>)),
      SearchText.layer((args) => Effect.promise(() => upstreamText(args))),
      Guard.layerMemory
    )
  )
  type Tools = Search | SearchText | Guard
  const call = Effect.suspend(() => Search.call(nextArguments()))
  const text = Effect.suspend(() => SearchText.call(nextArguments()))
  // invalid arguments do not have the type of the parameters, so a cast is needed
  const failing = Effect.suspend(() => Effect.flip(Search.call(W.badArguments as never)))
  const model = (args: () => string) =>
    Effect.suspend(() => tools.answer({ name: "search_orders", arguments: args(), callId: "c" }))
  const answer = model(nextText)
  const answerWrong = model(() => JSON.stringify(W.badArguments))
  const repeated = (one: Effect.Effect<unknown, unknown, Tools>, from: number, to: number, latencies?: Array<number>) =>
    Effect.gen(function* () {
      for (let i = from; i < to; i++) {
        const start = latencies === undefined ? 0 : performance.now()
        yield* one
        latencies?.push(performance.now() - start)
      }
    })
  const alone =
    (one: Effect.Effect<unknown, unknown, Tools>): Loop =>
    (n, latencies) =>
      runtime.runPromise(repeated(one, 0, n, latencies))
  const inTurns =
    (one: Effect.Effect<unknown, unknown, Tools>): Loop =>
    (n, latencies) =>
      runtime.runPromise(
        Effect.gen(function* () {
          for (let i = 0; i < n; i += callsPerTurn) {
            yield* Guard.turn(repeated(one, i, Math.min(n, i + callsPerTurn), latencies))
          }
        })
      )
  return [
    { name: "guard, typed call", loop: alone(call) },
    { name: "guard, typed call in a turn", loop: inTurns(call) },
    { name: "guard, JSON text to parse", loop: alone(text) },
    { name: "guard, JSON text to parse in a turn", loop: inTurns(text) },
    { name: "guard, model-facing", loop: alone(answer) },
    { name: "guard, model-facing in a turn", loop: inTurns(answer) },
    { name: "guard, wrong arguments", loop: alone(failing) },
    { name: "guard, wrong arguments, model-facing", loop: alone(answerWrong) }
  ]
}

/** The calls of a turn, about as many as a busy agent makes. */
const callsPerTurn = 50
