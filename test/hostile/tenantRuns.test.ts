/** Attacks of callers who know the id of another owner's run [8.3]. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { WorkflowEngine } from "effect/workflow"
import { agentOf, needsOf, world } from "../durable/runsWorld.ts"
import { attackers, victim } from "./TenantAttacks.ts"

const ownerOf = ({ principal, tenant }: (typeof attackers)[number]) => ({
  tenant,
  ...(principal === undefined ? {} : { principal })
})

describe("attacks on the durable runs of another owner", () => {
  for (const turn of attackers) {
    it.live(`8.3, 12.4 ${JSON.stringify(ownerOf(turn))} finds no run under the victim's id`, () => {
      const agent = agentOf()
      const seen = world()
      const [own, key] = [
        { run: "run", ...ownerOf(victim) },
        { run: "run", ...ownerOf(turn) }
      ]
      const unknown = { ...key, run: "no such run" }
      const failure = (attempt: Effect.Effect<unknown, unknown, WorkflowEngine.WorkflowEngine>) =>
        Effect.map(Effect.flip(attempt), (error) => String(error).replaceAll(unknown.run, "run"))
      return Effect.gen(function* () {
        yield* agent.start({ ...own, prompt: "write" })
        yield* Deferred.await(seen.started)
        assert.deepStrictEqual(yield* agent.poll(key), yield* agent.poll(unknown))
        for (const attack of [agent.result, agent.cancel, agent.forget])
          assert.strictEqual(yield* failure(attack(key)), yield* failure(attack(unknown)))
        const { runs } = yield* agent.list({ tenant: turn.tenant, principal: turn.principal ?? null })
        assert.deepStrictEqual(runs, [])
        // the attacker's own run with this id is another run
        yield* agent.start({ ...key, prompt: "answer" })
        assert.strictEqual((yield* agent.result(key, 5))._tag, "Answered")
        yield* agent.cancel(key)
        yield* agent.forget(key)
        assert.deepStrictEqual([(yield* agent.poll(own))._tag, seen.interrupted], ["Running", []])
        yield* Deferred.succeed(seen.gate, undefined)
        assert.strictEqual((yield* agent.result(own, 5))._tag, "Answered")
        assert.lengthOf(seen.written, 1)
      }).pipe(
        Effect.provide(agent.layer.pipe(Layer.provide(needsOf(seen)), Layer.provideMerge(WorkflowEngine.layerMemory)))
      )
    })
  }
})
