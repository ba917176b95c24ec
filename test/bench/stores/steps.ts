/** The steps of the stores that `bench:stores` measures. Step `i` uses a key of its own. */
import { type Outcome, success } from "#domain/call/Outcome"
import * as OutcomeText from "#domain/call/OutcomeText"
import { Budgets } from "#services/Budgets"
import { Checkpoints, type RunKey } from "#services/Checkpoints"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { Duration, Effect } from "effect"

/** The JSON of a result, of about 300 characters. */
export const json = JSON.stringify({ orders: Array.from({ length: 10 }, (_, i) => ({ id: `O-${i}`, cents: 100 * i })) })
const outcome: Outcome = { ...success(JSON.parse(json)), json, bytes: json.length }

/** The text of an outcome, as budgets and keys store it. */
export const outcomeText = OutcomeText.write(outcome, (value) => value)

/** The body of a row of a journal: about the size of a reply with one call. */
export const rowBody = JSON.stringify({ kind: "call", callId: "call_1", call: { text: json, spent: { units: 1 } } })

/** A SHA-256 as the stores write it. */
export const sum = "d".repeat(64)

/** The keys of one turn. */
export const keysPerTurn = 50

/** Spends and settles the budget of a new key. */
export const spendAndSettle = (i: number) =>
  Effect.flatMap(Budgets, ({ settle, spend }) => {
    const turn = { tenant: "bench", conversation: "bench", turn: String(Math.floor(i / keysPerTurn)) }
    const key = `search_orders {"page":${i}}`
    return Effect.andThen(
      spend(turn, key, { limit: 3, onlyAfterTransient: false }, { now: Date.now() }),
      settle(turn, key, { outcome, digest: sum, isLast: true })
    )
  })

/** Claims and completes a new key. */
export const claimAndComplete = (i: number) =>
  Effect.flatMap(IdempotencyKeys, ({ claim, complete }) => {
    const request = {
      tenant: "bench",
      key: `idem_${i}`,
      binding: `refund_order {"order":${i}}`,
      timeToLive: Duration.hours(24),
      lease: Duration.seconds(60),
      callId: `call_${i}`,
      isResumed: false
    }
    return Effect.flatMap(claim(request), (claimed) =>
      claimed._tag === "Claimed" ? complete(request, claimed.owner, outcomeText, true) : Effect.die(claimed._tag)
    )
  })

/** The rows of one run. */
export const rowsPerRun = 100

/** Creates a step that writes the two rows of a round with one call. Concurrent steps write to different runs. */
export const writeRound = () => {
  const free: Array<{ readonly key: RunKey; readonly owner: string; seq: number }> = []
  let runs = 0
  const opened = Effect.flatMap(Checkpoints, ({ open }) => {
    const key = { tenant: "bench", run: `run_${++runs}` }
    return Effect.map(
      open(key, { mayMake: true, format: 1, lease: Duration.minutes(1), takeOver: false }),
      ({ owner }) => ({ key, owner, seq: 0 })
    )
  })
  return () =>
    Effect.gen(function* () {
      const { append } = yield* Checkpoints
      const run = free.pop() ?? (yield* opened)
      yield* append(run.key, run.owner, { seq: ++run.seq, body: rowBody, sum })
      yield* append(run.key, run.owner, { seq: ++run.seq, body: rowBody, sum })
      if (run.seq < rowsPerRun) free.push(run)
    })
}
