/** Tests of runs with a journal, and of their resumption by another process. */
import * as ScriptedModel from "#layers/ScriptedModel"
import { Checkpoints } from "#services/Checkpoints"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { tool } from "../pipeline/support.ts"
import { assertSame, begin, byPlace, onStores, resume, type World } from "./processes.ts"
import { call, toolbox } from "./support.ts"

/** The steps at which a simulated process crashes: the step hangs until the test interrupts the process. */
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
  const respond = (place: Place, answer: ScriptedModel.Answer) => () => at(place, answer)
  const program: World = {
    tools: [read, write],
    model: byPlace([
      respond("the first request", [call("read_it", { q: "a" }, "c1"), call("write_it", { q: "a" }, "c2")]),
      respond("the second request", [call("read_it", { q: "bb" }, "c3")]),
      respond("the last request", "It is done.")
    ])
  }
  const stopDying = () => {
    isDying = false
  }
  return { program, read, write, reached, stopDying }
}

describe("a run with a journal", () => {
  it.effect("12.1 ends like a run without a journal", () =>
    Effect.gen(function* () {
      const [plain, journalled] = [world(), world()]
      const withoutJournal = yield* Agent.run({
        prompt: "Go.",
        turn: { conversation: "conversation", turn: "turn" },
        tools: toolbox(plain.program.tools)
      }).pipe(
        Effect.provide(
          Layer.fresh(
            Layer.mergeAll(
              Guard.layerMemory,
              ScriptedModel.layer(plain.program.model),
              plain.read.layer,
              plain.write.layer
            )
          )
        )
      )
      const { end } = yield* begin(journalled.program)
      assert.strictEqual(end._tag, "Answered")
      assertSame(end, withoutJournal)
    }).pipe(onStores())
  )

  it.effect("12.1 is not executed again after it has completed: its stored end is returned", () =>
    Effect.gen(function* () {
      const { program, read, write } = world()
      const first = yield* begin(program)
      const again = [yield* begin(program), yield* resume(program)]
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

  /** How often both processes together ask the model and call each tool: only the unfinished step is repeated. */
  const costs: Record<Place, readonly [asked: number, reads: number, writes: number]> = {
    "the first request": [4, 2, 1],
    read_it: [3, 3, 1],
    write_it: [3, 2, 2],
    "the second request": [4, 2, 1],
    "the last request": [4, 2, 1]
  }

  for (const place of places) {
    it.effect(`12.2 resumes after its process crashed during ${place}, and repeats only the unfinished step`, () =>
      Effect.gen(function* () {
        const { end: expected } = yield* onStores()(begin(world().program))
        const { program, reached, read, stopDying, write } = world(place)
        let asked = 0
        const counted: World = {
          ...program,
          model: (prompt, index) => {
            asked += 1
            return program.model(prompt, index)
          }
        }
        const dying = yield* Effect.forkChild(begin(counted), { startImmediately: true })
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(dying)
        stopDying()
        const { end } = yield* resume(counted, { takeOver: true })
        assertSame(end, expected)
        assert.deepStrictEqual([asked, read.runs(), write.runs()], costs[place])
      }).pipe(onStores())
    )
  }
})
