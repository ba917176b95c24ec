/** Tests what a turn reports about writes that no list of its latest calls contains any more. */
import { done, unknown } from "#domain/failure/StatedEffect"
import * as RecentEntries from "#domain/turn/RecentEntries"
import { Guard } from "#src/guard/Guard"
import * as Pipeline from "#pipeline/Pipeline"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ask, response, tool, within } from "../support.ts"

const withoutLoop = Guard.layerOf(Pipeline.remove("loop")(Pipeline.stages)).pipe(Layer.provide(Guard.memory))

type Fixture = ReturnType<typeof tool>

/** The number of other writes after which a map of the latest calls has dropped every earlier call. */
const many = 2 * RecentEntries.size + 1

describe("a turn with very many calls", () => {
  it.effect(
    `4.6 after ${many} writes with other arguments, no earlier write is made again, and each keeps its side effect`,
    () => {
      const rows = [
        [tool("add_row", { access: "write" }, { n: 1 }), "committed"],
        [tool("mail_it", { access: "write" }, Effect.fail(done(new Error("mail")))), "committed"],
        [tool("close_it", { access: "write" }, Effect.fail(unknown(new Error("no")))), "unknown"],
        [tool("open_it", { access: "write" }, response(500)), "unknown"]
      ] as const
      const others = tool("fill_it", { access: "write" }, { n: 1 })
      return Effect.gen(function* () {
        const first = ({ tool }: Fixture) => ask([tool], tool.toolName, '{"q":"a"}', { callId: "c1" })
        for (const [one] of rows) yield* first(one)
        for (let n = 0; n < many; n++) yield* ask([others.tool], "fill_it", { q: String(n) }, { callId: `f${n}` })
        for (const [one, sideEffect] of rows) {
          const { envelope } = yield* first(one)
          assert.deepStrictEqual([envelope.error.side_effect, one.runs()], [sideEffect, 1], one.tool.toolName)
        }
      }).pipe(within([...rows.map(([{ layer }]) => layer), others.layer], withoutLoop))
    },
    60_000
  )
})
