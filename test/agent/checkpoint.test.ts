/** Runs that outlive their process: what a process that dies leaves to the next one. */
import * as ScriptedModel from "#layers/ScriptedModel"
import { Checkpoints } from "#services/Checkpoints"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { tool } from "../pipeline/support.ts"
import { assertSame, begin, byPlace, onStores, resume, type World } from "./processes.ts"
import { call, toolbox } from "./support.ts"

/** Where a process dies: it hangs there for good, and is then ended. */
const places = ["the first request", "read_it", "write_it", "the second request", "the last request"] as const
type Place = (typeof places)[number]

const world = (dying?: Place) => {
  const reached = Deferred.makeUnsafe<void>()
  let isDying = true
  const hang = Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
  const at = <A>(place: Place, answer: A) =>
    Effect.suspend(() => (isDying && dying === place ? hang : Effect.succeed(answer)))
  const read = tool("read_it", {}, ({ q }: { readonly q: string }) => at("read_it", { n: q.length }))
  const write = tool("write_it", { access: "write", idempotency: { mode: "derived", upstreamHonoursKey: true } }, () =>
    at("write_it", { n: 7 })
  )
  const asked = (place: Place, answer: ScriptedModel.Answer) => () => at(place, answer)
  const it: World = {
    tools: [read, write],
    model: byPlace([
      asked("the first request", [call("read_it", { q: "a" }, "c1"), call("write_it", { q: "a" }, "c2")]),
      asked("the second request", [call("read_it", { q: "bb" }, "c3")]),
      asked("the last request", "It is done.")
    ])
  }
  const heal = () => {
    isDying = false
  }
  return { it, read, write, reached, heal }
}

describe("a run with a journal", () => {
  it.effect("12.1 ends as one without a journal does", () =>
    Effect.gen(function* () {
      const [plain, kept] = [world(), world()]
      const bare = yield* Agent.run({
        prompt: "Go.",
        turn: { conversation: "conversation", turn: "turn" },
        tools: toolbox(plain.it.tools)
      }).pipe(
        Effect.provide(
          Layer.fresh(
            Layer.mergeAll(Guard.layerMemory, ScriptedModel.layer(plain.it.model), plain.read.layer, plain.write.layer)
          )
        )
      )
      const { end } = yield* begin(kept.it)
      assert.strictEqual(end._tag, "Answered")
      assertSame(end, bare)
    }).pipe(onStores())
  )

  it.effect("12.1 that is completed is not run again: who asks gets its end", () =>
    Effect.gen(function* () {
      const { it, read, write } = world()
      const first = yield* begin(it)
      const again = [yield* begin(it), yield* resume(it)]
      for (const { asked, end, events } of again) {
        assertSame(end, first.end)
        assert.deepStrictEqual([asked, events], [0, []])
      }
      assert.deepStrictEqual([read.runs(), write.runs()], [2, 1])
      const store = yield* Checkpoints
      assert.deepStrictEqual(yield* store.unfinished("default"), [])
      assert.deepStrictEqual((yield* store.find({ tenant: "default", run: "run" }))?.rows, [])
    }).pipe(onStores())
  )

  /** How often the model is asked, and each tool is called, by both processes together: what was done is not done again. */
  const costs: Record<Place, readonly [asked: number, reads: number, writes: number]> = {
    "the first request": [4, 2, 1],
    read_it: [3, 3, 1],
    write_it: [3, 2, 2],
    "the second request": [4, 2, 1],
    "the last request": [4, 2, 1]
  }

  for (const place of places) {
    it.effect(`12.2 that dies in ${place} goes on, and makes again only what had not ended`, () =>
      Effect.gen(function* () {
        const { end: expected } = yield* onStores()(begin(world().it))
        const { heal, it, reached, read, write } = world(place)
        let asked = 0
        const counted: World = {
          ...it,
          model: (prompt, index) => {
            asked += 1
            return it.model(prompt, index)
          }
        }
        const dying = yield* Effect.forkChild(begin(counted), { startImmediately: true })
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(dying)
        heal()
        const { end } = yield* resume(counted, { takeOver: true })
        assertSame(end, expected)
        assert.deepStrictEqual([asked, read.runs(), write.runs()], costs[place])
      }).pipe(onStores())
    )
  }
})
