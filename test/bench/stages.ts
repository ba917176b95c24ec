/** Measures what each stage adds to a typed call, by building the pipeline from the innermost stage outwards. */
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Pipeline from "#pipeline/Pipeline"
import { Effect, Layer, ManagedRuntime } from "effect"
import { type Loop, nextArguments, type Variant } from "./variants.ts"
import * as W from "./workload.ts"

/** Stages that every call needs. */
const required = ["decodeArguments", "timeout", "run", "decodeResult", "classify"]

/** Returns pipelines, each with one more stage than the previous pipeline. */
export const variants = (): ReadonlyArray<Variant> => {
  class Search extends GuardedTool.Service<Search>()("search_orders", {
    description: "Searches orders. Read-only.",
    access: "read",
    parameters: W.Input(),
    success: W.wide.Output()
  }) {}
  const handler = Search.layer((args) => Effect.promise(() => W.wide.upstream(args)))
  const loopOf = (names: ReadonlyArray<string>): Loop => {
    const stages = Pipeline.stages.filter(({ name }) => names.includes(name))
    // the filtered list has lost the types of its stages
    const guard = Guard.layerOf(stages as never).pipe(Layer.provide(Guard.memory)) as Layer.Layer<Guard>
    const loop = (n: number) =>
      Effect.gen(function* () {
        for (let i = 0; i < n; i++) yield* Search.call(nextArguments())
      })
    const runtime = ManagedRuntime.make(Layer.mergeAll(handler, guard))
    return (n) => runtime.runPromise(loop(n))
  }
  const added = Pipeline.stages.map(({ name }) => name).filter((name) => !required.includes(name))
  const fromInside = added.reverse()
  return [
    { name: "decode in, run, decode out", loop: loopOf(required) },
    ...fromInside.map((name, index) => ({
      name: `+ ${name}`,
      loop: loopOf([...required, ...fromInside.slice(0, index + 1)])
    }))
  ]
}
