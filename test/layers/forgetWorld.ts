/** Writes rows of two tenants, two principals and two conversations to seven stores, for tests of erasure. */
import { key as turnKey } from "#domain/turn/Turn"
import { Approvals } from "#services/Approvals"
import { Artifacts } from "#services/Artifacts"
import { Budgets } from "#services/Budgets"
import { CallLog } from "#services/CallLog"
import { Checkpoints } from "#services/Checkpoints"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import { Duration, Effect } from "effect"
import { opening } from "../contracts/Approvals.ts"
import { recordOf } from "../contracts/CallLog.ts"
import { actionOf } from "../contracts/IdempotencyKeys.ts"
import { done } from "../contracts/values.ts"

/**
 * All combinations of two tenants, principals and conversations. The name of one tenant has characters that are special in
 * patterns and in JSON.
 */
export const owners = ["acme", `b"%*[x]`].flatMap((tenant) =>
  ["ann", "bob"].flatMap((principal) =>
    ["c1", "c2"].map((conversation) => ({ tenant, principal, conversation, turn: "1" }))
  )
)

/** Returns a word that only the rows of an owner contain. */
export const wordOf = (owner: (typeof owners)[number]): string => `word${owners.indexOf(owner)}zz`

/** Completes an action of an owner under an idempotency key. */
export const complete = (owner: (typeof owners)[number]) =>
  Effect.gen(function* () {
    const keys = yield* IdempotencyKeys
    const action = {
      ...actionOf(owner.tenant),
      principal: owner.principal,
      key: `key of ${owner.conversation}`,
      callId: JSON.stringify([owner.conversation, "1", "c"])
    }
    const claimed = yield* keys.claim(action)
    yield* keys.complete(action, (claimed as { readonly owner: string }).owner, wordOf(owner), true)
  })

/** Stores a result in the budget of a turn. */
export const spend = (owner: (typeof owners)[number]) =>
  Effect.gen(function* () {
    const budgets = yield* Budgets
    yield* budgets.spend(owner, "key", { limit: 3, onlyAfterTransient: false }, { now: 0 })
    yield* budgets.settle(owner, "key", { outcome: done(wordOf(owner)), digest: wordOf(owner), isLast: true })
  })

export const turnKeys = owners.map(turnKey)

/** Writes an entry of each owner to each of the seven stores. */
export const fill = Effect.forEach(
  owners,
  (owner) =>
    Effect.gen(function* () {
      const word = wordOf(owner)
      const approvals = yield* Approvals
      yield* approvals.open(opening(word, { turn: owner, arguments: { word } }))
      yield* (yield* UnknownOutcomes).add({
        binding: word,
        isAnswered: false,
        tool: "refund",
        code: "outcome_unknown",
        sentence: word,
        arguments: { word },
        idempotencyKey: "",
        traceId: "tr",
        turn: owner
      })
      yield* (yield* Artifacts).put({ turn: owner, text: JSON.stringify(word), timeToLive: Duration.hours(1) })
      const checkpoints = yield* Checkpoints
      const run = { tenant: owner.tenant, run: `run ${owner.principal} ${owner.conversation}` }
      const opened = yield* checkpoints.open(run, {
        mayMake: true,
        format: 1,
        lease: Duration.minutes(1),
        takeOver: false
      })
      const body = JSON.stringify({ kind: "begun", turn: owner, prompt: word })
      yield* checkpoints.append(run, opened.owner, { seq: 1, body, sum: "s" })
      yield* checkpoints.close(run, opened.owner, undefined)
      ;(yield* CallLog).append({ ...recordOf(word), ...owner, traceId: `trace ${word}`, argumentsText: word })
      yield* complete(owner)
      yield* spend(owner)
    }),
  { discard: true }
)
