/**
 * Attacks of callers who know the ids, claims and leases of another owner: they try to read, resume, take over, settle,
 * cancel, erase and displace the owner's data. Each attempt has the answer for something that does not exist [8.3].
 */
import type { Turn } from "#domain/turn/Turn"
import { Approvals } from "#services/Approvals"
import { Artifacts } from "#services/Artifacts"
import { Budgets } from "#services/Budgets"
import { CallLog } from "#services/CallLog"
import { Checkpoints, type RunKey } from "#services/Checkpoints"
import { Forget } from "#services/Forget"
import { IdempotencyKeys, type KeyClaim } from "#services/IdempotencyKeys"
import { TurnMemory } from "#services/TurnMemory"
import { unguessableId } from "#services/Unguessable"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, type Layer } from "effect"
import { opening } from "../contracts/Approvals.ts"
import { recordOf } from "../contracts/CallLog.ts"
import { row } from "../contracts/Checkpoints.ts"
import { actionOf } from "../contracts/IdempotencyKeys.ts"
import { done } from "../contracts/values.ts"

export const victim: Turn = { tenant: "acme", principal: "ana", conversation: "c", turn: "1" }
const { principal: _, ...withoutPrincipal } = victim

/** The attackers: another tenant, another principal and no principal, each with the victim's conversation and turn. */
export const attackers: ReadonlyArray<Turn> = [
  { ...victim, tenant: "evil" },
  { ...victim, principal: "eve" },
  withoutPrincipal,
  { ...victim, tenant: "evil", principal: "eve" },
  { ...victim, principal: "Ana" }
]

const ofTurn = ({ principal, tenant }: Turn) => ({ tenant, ...(principal === undefined ? {} : { principal }) })
const claimOf = (turn: Turn, key: string): KeyClaim => ({
  ...actionOf(turn.tenant),
  ...ofTurn(turn),
  key,
  callId: JSON.stringify([turn.conversation, turn.turn, "call"])
})

/** Returns how an attempt failed. */
const failure = <A, R>(attempt: Effect.Effect<A, { readonly _tag: string }, R>) =>
  Effect.map(Effect.flip(attempt), ({ _tag, ...fields }) => JSON.stringify([_tag, { ...fields, run: "" }]))

/** Attacks on idempotency keys and budgets, which memory, SQL and Redis store. */
export const attackKeys = <E>(name: string, layer: Layer.Layer<IdempotencyKeys | Budgets | Forget, E>): void => {
  describe(`attacks on keys and budgets of another owner (${name})`, () => {
    for (const turn of attackers) {
      it.effect(`8.3 ${JSON.stringify(ofTurn(turn))} neither reads, completes, frees nor blocks them`, () =>
        Effect.gen(function* () {
          const keys = yield* IdempotencyKeys
          const budgets = yield* Budgets
          const [finished, running] = [claimOf(victim, "finished"), claimOf(victim, "running")]
          const first = yield* keys.claim(finished)
          const second = yield* keys.claim(running)
          if (first._tag !== "Claimed" || second._tag !== "Claimed") return assert.fail("not claimed")
          yield* keys.complete(finished, first.owner, "the victim's result", true)
          const limit = { limit: 1, onlyAfterTransient: false }
          yield* budgets.spend(victim, "key", limit, { now: 0 })
          yield* budgets.settle(victim, "key", { outcome: done("secret"), digest: "secret", isLast: true })

          for (const [claim, owner] of [
            [claimOf(turn, "finished"), first.owner],
            [claimOf(turn, "running"), second.owner]
          ] as const) {
            assert.isUndefined(yield* keys.find(claim))
            assert.isFalse(yield* keys.renew(claim, owner))
            assert.isFalse(yield* keys.complete(claim, owner, "forged", true))
            assert.isFalse(yield* keys.release(claim, "the victim's result"))
            yield* keys.leave(claim, "forged")
            // the attacker does its own action under the same key
            assert.strictEqual((yield* keys.claim(claim))._tag, "Claimed")
          }
          assert.strictEqual((yield* budgets.spend(turn, "key", limit, { now: 0 }))._tag, "Spent")
          yield* budgets.refund(turn, "key")
          yield* budgets.progress(turn, "key")
          yield* budgets.end(turn)
          const { forget } = yield* Forget
          const { removed } = yield* forget({ ...victim, ...ofTurn(turn), principal: turn.principal })
          assert.strictEqual(
            removed.reduce((sum, { count }) => sum + count, 0),
            0
          )

          const known = yield* keys.find(finished)
          assert.strictEqual(known?._tag === "Done" ? known.outcome : known?._tag, "the victim's result")
          assert.isTrue(yield* keys.renew(running, second.owner))
          assert.isTrue(yield* keys.complete(running, second.owner, "done", true))
          assert.strictEqual((yield* budgets.spend(victim, "key", limit, { now: 0 }))._tag, "Exhausted")
        }).pipe(Effect.provide(layer))
      )
    }
  })
}

type Stores = Approvals | Artifacts | CallLog | Checkpoints

/** Attacks on the stores in memory and in SQL. `forget` erases data, if the stores support it. */
export const attackStores = <E>(
  name: string,
  layer: Layer.Layer<Stores, E>,
  forget?: Layer.Layer<Stores | Forget, E>
): void => {
  describe(`attacks on stored data of another owner (${name})`, () => {
    const opens = { mayMake: false, format: 1, lease: Duration.minutes(1), takeOver: true }
    const keyOf = (turn: Turn, run: string): RunKey => ({ ...ofTurn(turn), run })

    /** Stores a run in progress, an artifact, a request and a record of the victim. */
    const fill = Effect.gen(function* () {
      const { append, open } = yield* Checkpoints
      const run = keyOf(victim, "run")
      const { owner } = yield* open(run, { ...opens, mayMake: true })
      yield* append(run, owner, row(1, JSON.stringify({ kind: "begun", turn: victim, prompt: "secret" })))
      const { put } = yield* Artifacts
      const artifact = yield* put({ turn: victim, text: '"secret"', timeToLive: Duration.hours(1) })
      const approvals = yield* Approvals
      const { request } = yield* approvals.open(opening("binding", { turn: victim }))
      const log = yield* CallLog
      log.append({ ...recordOf("call"), ...victim })
      return { run, owner, artifact, request }
    })
    /** Asserts that all data of the victim still exist. */
    const assertWhole = ({ artifact, owner, request, run }: Effect.Success<typeof fill>) =>
      Effect.gen(function* () {
        const checkpoints = yield* Checkpoints
        yield* checkpoints.renew(run, owner, Duration.minutes(1))
        assert.lengthOf((yield* checkpoints.find(run))?.rows ?? [], 1)
        assert.strictEqual(yield* (yield* Artifacts).read(victim, artifact), '"secret"')
        assert.strictEqual((yield* (yield* Approvals).find(request.id))?.state, "pending")
        assert.lengthOf(yield* (yield* CallLog).recordsOf(victim), 1)
      })

    for (const turn of attackers) {
      it.effect(`8.3 ${JSON.stringify(ofTurn(turn))} finds nothing under any id`, () =>
        Effect.gen(function* () {
          const filled = yield* fill
          const { artifact, owner } = filled
          const checkpoints = yield* Checkpoints
          const unknown = yield* failure(checkpoints.open(keyOf(victim, "no such run"), opens))
          const run = keyOf(turn, "run")
          assert.strictEqual(yield* failure(checkpoints.open(run, opens)), unknown)
          assert.isUndefined(yield* checkpoints.find(run))
          const lost = yield* failure(checkpoints.append(keyOf(turn, "no such run"), owner, row(2)))
          assert.strictEqual(yield* failure(checkpoints.append(run, owner, row(2))), lost)
          assert.strictEqual(yield* failure(checkpoints.renew(run, owner, Duration.hours(1))), lost)
          assert.strictEqual(yield* failure(checkpoints.close(run, owner, undefined)), lost)
          yield* checkpoints.remove(run)
          const { read } = yield* Artifacts
          assert.strictEqual(yield* read(turn, artifact), yield* read(turn, yield* unguessableId))
          assert.strictEqual(yield* (yield* Approvals).withdraw(turn), 0)
          assert.deepStrictEqual(yield* (yield* CallLog).recordsOf({ ...turn, principal: turn.principal }), [])
          yield* assertWhole(filled)
          // the victim's id is free for the attacker, and using it does not displace the victim's run
          const own = yield* checkpoints.open(run, { ...opens, mayMake: true })
          assert.deepStrictEqual(own.rows, [])
          yield* checkpoints.close(run, own.owner, "an end")
          yield* assertWhole(filled)
        }).pipe(Effect.provide(layer))
      )
    }

    if (forget === undefined) return
    for (const turn of attackers) {
      it.effect(`8.3 ${JSON.stringify(ofTurn(turn))} erases nothing of the conversation and the turn`, () =>
        Effect.gen(function* () {
          const filled = yield* fill
          yield* (yield* CallLog).records
          const { conversation, principal, tenant } = turn
          const service = yield* Forget
          const scopes = [turn, ...(tenant === victim.tenant ? [] : [{ tenant }, { tenant, conversation }])]
          if (principal !== undefined) scopes.push({ tenant, principal, conversation })
          for (const scope of scopes) {
            const { removed } = yield* service.forget(scope)
            assert.deepStrictEqual(
              removed.filter(({ count }) => count > 0),
              [],
              JSON.stringify(scope)
            )
          }
          yield* assertWhole(filled)
        }).pipe(Effect.provide(forget))
      )
    }
  })
}

/** Attacks on the memory of turns: the texts that a turn has seen. */
export const attackTurns = <E>(name: string, layer: Layer.Layer<TurnMemory, E>): void => {
  describe(`attacks on the memory of another owner's turns (${name})`, () => {
    for (const turn of attackers) {
      it.effect(`8.3 ${JSON.stringify(ofTurn(turn))} neither reads nor ends it`, () =>
        Effect.gen(function* () {
          const memory = yield* TurnMemory
          yield* memory.saw(victim, "O-4711 was shipped")
          assert.isFalse(yield* memory.hasSeen(turn, "O-4711"))
          yield* memory.endTurn(turn)
          assert.isTrue(yield* memory.hasSeen(victim, "O-4711"))
        }).pipe(Effect.provide(layer))
      )
    }
  })
}
