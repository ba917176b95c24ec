/** Tests a durable run that a newer program with changed tools resumes. */
import * as DurableSqlite from "#layers/DurableSqlite"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import * as ScriptedModel from "#layers/ScriptedModel"
import * as DurableAgent from "#src/durable/DurableAgent"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { join } from "node:path"
import { call, codes, type EquippedTool, toolbox } from "../agent/support.ts"
import { tool } from "../pipeline/support.ts"
import { folder } from "../support/sqliteFile.ts"

const run = { run: "run" }

/** Returns the agent and the layer of a release with these tools. */
const release = (filename: string, tools: ReadonlyArray<EquippedTool>) => {
  const agent = DurableAgent.make("Tested", { tools: toolbox(tools) })
  const model = ScriptedModel.layer(({ content }) =>
    content.some(({ role }) => role === "tool") ? "done" : call("print", { q: "a" })
  )
  const layer = agent.layer.pipe(
    Layer.provide([
      Guard.layerMemoryWith(IdempotencyKeysSql.layer),
      model,
      ...tools.map(({ layer }) => layer)
    ] as const),
    Layer.provideMerge(DurableSqlite.layer({ filename, interval: "50 millis" }))
  )
  // the types of `EquippedTool` do not show that all requirements are provided
  return { agent, layer: layer as unknown as Layer.Layer<DurableAgentEngine> }
}
type DurableAgentEngine = Layer.Success<ReturnType<typeof DurableSqlite.layer>>

const parameters = (extra: object = {}) => ({ parameters: Schema.Struct({ q: Schema.String, ...extra }) })

const print = (extra: object, handler: any = { n: 1 }) =>
  tool("print", { access: "write", idempotency: "derived", ...parameters(extra) }, handler)

describe("a durable run that a newer program resumes", () => {
  for (const [what, tools] of [
    ["was removed", [tool("look", {}, { n: 1 })]],
    ["has another contract", [print({ copies: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(1))) })]]
  ] as const) {
    it.live(`8.4 a write without an answer has an unknown outcome if its tool ${what}`, () =>
      Effect.gen(function* () {
        const path = yield* folder
        const filename = join(path, "old.db")
        const reached = yield* Deferred.make<void>()
        const old = release(filename, [print({}, Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))])
        // the copy has the state that a process would leave if it crashed during the call
        const copy = join(path, "copy.db")
        yield* Effect.gen(function* () {
          yield* old.agent.start({ ...run, prompt: "Go." })
          yield* Deferred.await(reached)
          const sql = yield* SqlClient.SqlClient
          yield* sql`VACUUM INTO ${copy}`
        }).pipe(Effect.provide(old.layer))
        const { agent, layer } = release(copy, tools)
        const end = yield* Effect.provide(agent.result(run, 20), layer)
        assert.deepStrictEqual([end._tag, codes(end.transcript)], ["NeedsPerson", ["outcome_unknown"]])
      }).pipe(Effect.scoped)
    )
  }
})
