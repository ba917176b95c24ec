/** Tests that a run belongs to its tenant and its principal: for every other caller it does not exist [8.3]. */
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as SqliteNode from "#layers/SqliteNode"
import { CheckpointRefused, Checkpoints, type OpenOptions, type RunKey } from "#services/Checkpoints"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { tool } from "../pipeline/support.ts"
import { begin, byPlace, onStores, resume, storesWith, type World } from "./processes.ts"
import { call } from "./support.ts"

const turn = { conversation: "conversation", turn: "turn", tenant: "acme", principal: "ana" }
const anonymous = { conversation: "conversation", turn: "turn", tenant: "acme" }
const ana: RunKey = { tenant: "acme", principal: "ana", run: "run" }

/** Callers that know the id of ana's run. */
const others = [
  { tenant: "acme", principal: "ben" },
  { tenant: "acme" },
  { tenant: "another", principal: "ana" },
  { tenant: "acme", principal: "Ana" }
]

const opening: OpenOptions = { mayMake: false, format: 1, lease: Duration.seconds(30), takeOver: false }

const refusal = (run: Effect.Effect<unknown, any, any>) =>
  Effect.map(Effect.flip(run), (error) =>
    error instanceof CheckpointRefused ? [error.reason, error.detail] : [error._tag]
  )

/** Creates a world with one read and an answer, and a function that returns the number of attempts. */
const reading = (): World & { readonly runs: () => number } => {
  const read = tool("read_it", {}, { n: 1 })
  return { tools: [read], model: byPlace([call("read_it", { q: "q" }, "c1"), "It is done."]), runs: read.runs }
}

/** Creates a world whose read never ends, and a deferred that completes when the read has started. */
const stuck = () => {
  const reached = Deferred.makeUnsafe<void>()
  const read = tool("read_it", {}, () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
  const world: World = { tools: [read], model: byPlace([call("read_it", { q: "q" }, "c1"), "It is done."]) }
  return { world, reached }
}

/** Moves ana's run to a key without a principal, as versions without principals in keys stored it. */
const withoutPrincipalInItsKey = Effect.gen(function* () {
  const { find, put, remove } = yield* Checkpoints
  const found = yield* find(ana)
  if (found === undefined) return assert.fail("The run is not stored.")
  yield* remove(ana)
  const { principal: _, ...stored } = found
  yield* put(stored)
})

const memory = CheckpointsMemory.layer
const sqlite = Layer.provide(CheckpointsSql.layer, SqliteNode.layer({ filename: ":memory:" }))

for (const [name, layer] of [
  ["memory", memory],
  ["SQLite", sqlite]
] as const) {
  const stores = onStores(storesWith(layer))

  describe(`the owner of a run (${name})`, () => {
    it.effect(
      "8.3 another tenant or principal cannot resume a run, and gets the same refusal as for an unknown id",
      () =>
        Effect.gen(function* () {
          yield* begin(reading(), { turn, maxRounds: 1 })
          const unknown = yield* refusal(resume(reading(), { ...ana, run: "no such run" }))
          for (const other of others) {
            for (const takeOver of [false, true])
              assert.deepStrictEqual(yield* refusal(resume(reading(), { ...other, takeOver })), unknown)
          }
          const { end } = yield* resume(reading(), ana)
          assert.strictEqual(end._tag, "Answered")
          for (const other of others) assert.deepStrictEqual(yield* refusal(resume(reading(), other)), unknown)
        }).pipe(stores)
    )

    it.effect("8.3 another tenant or principal cannot take over the lease of a run in progress", () =>
      Effect.gen(function* () {
        const { reached, world } = stuck()
        const running = yield* Effect.forkChild(begin(world, { turn }), { startImmediately: true })
        yield* Deferred.await(reached)
        for (const other of others) yield* refusal(resume(reading(), { ...other, takeOver: true }))
        const { open } = yield* Checkpoints
        assert.deepStrictEqual((yield* refusal(open(ana, opening)))[0], "in_use")
        yield* Fiber.interrupt(running)
      }).pipe(stores)
    )

    it.effect("8.3 a principal that uses the id of another principal's run has a separate run", () =>
      Effect.gen(function* () {
        yield* begin(reading(), { turn: { ...turn, principal: "ben" }, prompt: "Something else.", maxRounds: 1 })
        yield* begin(reading(), { turn: anonymous, prompt: "Else.", maxRounds: 1 })
        const world = reading()
        const { end } = yield* begin(world, { turn })
        assert.deepStrictEqual([end._tag, world.runs()], ["Answered", 1])
        const { unfinished } = yield* Checkpoints
        assert.sameDeepMembers(
          [...(yield* unfinished("acme"))],
          [
            { tenant: "acme", principal: "ben", run: "run" },
            { tenant: "acme", run: "run" }
          ]
        )
      }).pipe(stores)
    )

    it.effect("8.3, 12.2 a run whose key has no principal belongs to the principal of its turn", () =>
      Effect.gen(function* () {
        yield* begin(reading(), { turn, maxRounds: 1 })
        yield* withoutPrincipalInItsKey
        const unknown = yield* refusal(resume(reading(), { ...ana, run: "no such run" }))
        const { open, renew } = yield* Checkpoints
        const { owner } = yield* open({ tenant: "acme", run: "run" }, opening)
        for (const other of others) {
          for (const takeOver of [false, true])
            assert.deepStrictEqual(yield* refusal(resume(reading(), { ...other, takeOver })), unknown)
        }
        // a start with another principal is refused, and does not take the lease
        assert.strictEqual((yield* refusal(begin(reading(), { turn: anonymous, takeOver: true })))[0], "other_run")
        yield* renew({ tenant: "acme", run: "run" }, owner, Duration.seconds(30))
        const world = reading()
        const { end } = yield* resume(world, { ...ana, takeOver: true })
        assert.deepStrictEqual([end._tag, world.runs()], ["Answered", 0])
      }).pipe(stores)
    )

    it.effect("8.3, 12.2 a completed run whose key has no principal is not executed again for its principal", () =>
      Effect.gen(function* () {
        yield* begin(reading(), { turn })
        yield* withoutPrincipalInItsKey
        const world = reading()
        const { asked, end } = yield* begin(world, { turn })
        assert.deepStrictEqual([end._tag, asked, world.runs()], ["Answered", 0, 0])
        const ben = { ...turn, principal: "ben" }
        assert.strictEqual((yield* begin(reading(), { turn: ben })).asked, 2)
        assert.strictEqual((yield* refusal(resume(reading(), { ...ana, principal: "cleo" })))[0], "unknown_run")
      }).pipe(stores)
    )

    it.effect("12.2 a principal is a string of 1 to 255 arbitrary characters", () =>
      Effect.gen(function* () {
        for (const principal of ["", "x".repeat(256)]) {
          assert.strictEqual((yield* refusal(begin(reading(), { turn: { ...turn, principal } })))[0], "invalid_id")
          assert.strictEqual((yield* refusal(resume(reading(), { ...ana, principal })))[0], "invalid_id")
        }
        for (const principal of ["a\u0000b", "'; --", "\ud800", "👩‍👩‍👧‍👦", "x".repeat(255), `["run",{"principal":"ana"}]`]) {
          yield* begin(reading(), { turn: { ...turn, principal }, maxRounds: 1 })
          assert.strictEqual((yield* resume(reading(), { ...ana, principal })).end._tag, "Answered")
        }
      }).pipe(stores)
    )
  })
}
