/** What each stage adds to a typed call: the pipeline is put together from the inside out. */
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Pipeline from "#pipeline/Pipeline"
import { Effect, Layer, ManagedRuntime } from "effect"
import { type Loop, nextArguments, type Variant } from "./variants.ts"
import * as W from "./workload.ts"

/** Without these a call has no arguments, no answer and no outcome. */
const needed = ["decodeArguments", "timeout", "run", "decodeResult", "classify"]

/** Pipelines that grow by one stage each. */
export const variants = (): ReadonlyArray<Variant> => {
  class Search extends GuardedTool.Service<Search>()("search_orders", {
    description: "Searches orders. Read-only.",
    access: "read",
    parameters: W.Input(),
    success: W.Output()
  }) {}
  const handler = Search.layer((args) => Effect.promise(() => W.upstream(args)))
  const loopOf = (names: ReadonlyArray<string>): Loop => {
    const stages = Pipeline.stages.filter(({ name }) => names.includes(name))
    const guard = Guard.layerOf(stages as never).pipe(Layer.provide(Guard.memory)) as Layer.Layer<Guard>
    const loop = (n: number) =>
      Effect.gen(function* () {
        for (let i = 0; i < n; i++) yield* Search.call(nextArguments())
      })
    const runtime = ManagedRuntime.make(Layer.mergeAll(handler, guard))
    return (n) => runtime.runPromise(loop(n))
  }
  const added = Pipeline.stages.map(({ name }) => name).filter((name) => !needed.includes(name))
  const inside = added.reverse()
  return [
    { name: "decode in, run, decode out", loop: loopOf(needed) },
    ...inside.map((name, index) => ({
      name: `+ ${name}`,
      loop: loopOf([...needed, ...inside.slice(0, index + 1)])
    }))
  ]
}
