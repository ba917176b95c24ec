/** Tests that runs on the engine in memory are listed, cancelled and forgotten. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { WorkflowEngine } from "effect/workflow"
import * as ProcessRuns from "#src/durable/ProcessRuns"
import { codes } from "../agent/support.ts"
import { type Agent, agentOf, needsOf, until, type World, world } from "./runsWorld.ts"

const within = <A>(use: (agent: Agent, world: World) => Effect.Effect<A, unknown, WorkflowEngine.WorkflowEngine>) => {
  const agent = agentOf()
  const seen = world()
  const runner = agent.layer.pipe(Layer.provide(needsOf(seen)), Layer.provideMerge(WorkflowEngine.layerMemory))
  return Effect.provide(use(agent, seen), runner)
}

const key = { run: "run" }

describe("DurableAgent", () => {
  it.live("12.4 poll, result, cancel and forget of an unknown run say that it is unknown", () =>
    within((agent) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* agent.poll(key), { _tag: "Unknown" })
        for (const unknown of [agent.result(key), agent.cancel(key), agent.forget(key)]) {
          const error = yield* Effect.flip(Effect.asVoid<unknown, unknown, WorkflowEngine.WorkflowEngine>(unknown))
          assert.match(String(error), /The agent Clerk has no run "run" of the tenant "default" without a principal/)
        }
        yield* agent.start({ ...key, tenant: "acme", principal: "ann", prompt: "answer" })
        assert.deepStrictEqual(yield* agent.poll({ ...key, tenant: "acme" }), { _tag: "Unknown" })
        assert.deepStrictEqual(yield* agent.poll({ ...key, principal: "ann" }), { _tag: "Unknown" })
        yield* until(agent, { ...key, tenant: "acme", principal: "ann" }, "Ended")
      })
    )
  )

  it.live("12.4 if a run is cancelled during a write, its handler is interrupted, and the run ends as cancelled", () =>
    within((agent, { interrupted, started, written }) =>
      Effect.gen(function* () {
        yield* agent.start({ ...key, prompt: "write write" })
        yield* Deferred.await(started)
        assert.deepStrictEqual(yield* agent.cancel(key), { _tag: "Cancelling" })
        const end = yield* agent.result(key, 5)
        assert.deepStrictEqual(
          [end._tag, codes(end.transcript), end.usage.rounds, interrupted, written],
          ["Interrupted", ["interrupted"], 1, ["write-0"], []]
        )
        assert.deepStrictEqual(yield* agent.poll(key), { _tag: "Cancelled", end })
        assert.deepStrictEqual(yield* agent.cancel(key), { _tag: "Ended", end })
        assert.deepStrictEqual(
          (yield* agent.list()).runs.map(({ end, state }) => [state, end]),
          [["Cancelled", "Interrupted"]]
        )
      })
    )
  )

  it.live("12.4 if a run is cancelled while it waits for a person, it ends, and a later decision has no effect", () =>
    within((agent, { asked, gate, refunded, written }) =>
      Effect.gen(function* () {
        yield* Deferred.succeed(gate, undefined)
        yield* agent.start({ ...key, prompt: "write refund write" })
        yield* until(agent, key, "Suspended")
        assert.strictEqual((yield* agent.list({ state: "Suspended" })).runs.length, 1)
        yield* agent.cancel(key)
        const end = yield* agent.result(key, 5)
        assert.deepStrictEqual([end._tag, codes(end.transcript)], ["Interrupted", ["success", "interrupted"]])
        yield* agent.decide(asked[0]!.token, { _tag: "Approved", by: "ann" })
        yield* agent.start({ ...key, prompt: "write refund write" })
        yield* Effect.sleep(20)
        assert.deepStrictEqual(yield* agent.poll(key), { _tag: "Cancelled", end })
        assert.deepStrictEqual([written, refunded], [["write-0"], []])
      })
    )
  )

  it.live("12.4 cancel reports that a run is ending, not that it was cancelled, if the run ends in the meantime", () =>
    within((agent, { gate, started, written }) =>
      Effect.gen(function* () {
        yield* agent.start({ ...key, prompt: "write" })
        yield* Deferred.await(started)
        const store = yield* ProcessRuns.current
        const [row] = (yield* store.list({})).runs
        yield* store.end(row!.execution, "Ended", "Answered")
        assert.deepStrictEqual(yield* agent.cancel(key), { _tag: "Ending" })
        yield* Deferred.succeed(gate, undefined)
        const end = yield* agent.result(key, 5)
        assert.deepStrictEqual([end._tag, written], ["Answered", ["write-0"]])
        assert.deepStrictEqual(yield* agent.cancel(key), { _tag: "Ended", end })
      })
    )
  )

  it.live("12.4 if the process crashes after the row of a cancelled run is written, the run does not act again", () =>
    within((agent, { asked, gate, refunded }) =>
      Effect.gen(function* () {
        yield* Deferred.succeed(gate, undefined)
        yield* agent.start({ ...key, prompt: "write refund write" })
        yield* until(agent, key, "Suspended")
        const store = yield* ProcessRuns.current
        const [row] = (yield* store.list({})).runs
        yield* store.end(row!.execution, "Cancelled")
        yield* agent.decide(asked[0]!.token, { _tag: "Approved", by: "ann" })
        assert.strictEqual((yield* agent.result(key, 5))._tag, "Interrupted")
        assert.deepStrictEqual(refunded, [])
      })
    )
  )

  it.live(
    "12.4 runs are listed by state, tenant and principal, newest first, in pages that new runs do not change",
    () =>
      within((agent, { gate }) =>
        Effect.gen(function* () {
          yield* Deferred.succeed(gate, undefined)
          const runs = ["a", "b", "c", "d", "e"]
          for (const [index, run] of runs.entries()) {
            const tenant = index % 2 === 0 ? "acme" : "other"
            yield* agent.start({ run, tenant, principal: "ann", prompt: index === 4 ? "refund" : "answer" })
            yield* until(agent, { run, tenant, principal: "ann" }, index === 4 ? "Suspended" : "Ended")
          }
          const pages: Array<ReadonlyArray<string>> = []
          let before: string | undefined
          do {
            const page = yield* agent.list({ allTenants: true, limit: 2, before })
            pages.push(page.runs.map(({ run }) => run))
            before = page.next
            yield* agent.start({ run: `new ${pages.length}`, prompt: "answer" })
            yield* until(agent, { run: `new ${pages.length}` }, "Ended")
          } while (before !== undefined)
          assert.deepStrictEqual(pages, [["e", "d"], ["c", "b"], ["a"]])
          const found = (options: Parameters<Agent["list"]>[0]) =>
            Effect.map(agent.list({ allTenants: true, ...options }), (page) => page.runs.map(({ run }) => run))
          assert.deepStrictEqual(yield* found({ tenant: "acme" }), ["e", "c", "a"])
          assert.deepStrictEqual(yield* found({ principal: "ann", state: "Ended" }), ["d", "c", "b", "a"])
          assert.deepStrictEqual(yield* found({ state: "Suspended" }), ["e"])
          assert.deepStrictEqual(yield* found({ principal: "ben" }), [])
          assert.deepStrictEqual(yield* found({ before: "not a page" }), [])
          assert.deepStrictEqual(yield* found({ principal: null }), ["new 3", "new 2", "new 1"])
          const ofDefaultTenant = (yield* agent.list()).runs.map(({ run }) => run)
          assert.deepStrictEqual(ofDefaultTenant, ["new 3", "new 2", "new 1"])
        })
      )
  )

  it.live("12.4 forget refuses a run that has not ended, and accepts it after its end", () =>
    within((agent) =>
      Effect.gen(function* () {
        yield* agent.start({ ...key, prompt: "refund" })
        yield* until(agent, key, "Suspended")
        const error = yield* Effect.flip(agent.forget(key))
        assert.strictEqual(error.message, 'The run "run" has not ended. Cancel it, and forget it after its end.')
        yield* agent.cancel(key)
        yield* agent.result(key, 5)
        assert.deepStrictEqual((yield* agent.forget(key)).removed, [{ store: "durable runs", count: 1 }])
        assert.deepStrictEqual(yield* agent.poll(key), { _tag: "Unknown" })
        assert.deepStrictEqual((yield* agent.list()).runs, [])
      })
    )
  )
})
