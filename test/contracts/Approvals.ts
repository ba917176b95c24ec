/** Tests that every layer of Approvals must pass [10.3, 10.4]. */
import type { ApprovalRequest } from "#domain/approval/ApprovalRequest"
import { Approvals, type DecisionResult, type ApprovalQuestion } from "#services/Approvals"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, type Layer, PubSub, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { turn } from "./values.ts"

/** Returns a new request with a binding. Each test has a separate binding, so that one database serves a whole suite. */
export const opening = (binding: string, overrides: Partial<ApprovalQuestion> = {}): ApprovalQuestion => ({
  level: "confirm",
  reason: "approval",
  tool: "refund_order",
  sentence: "Refund 20000 cents",
  arguments: { order_id: "O-1", cents: 20_000 },
  binding,
  turn,
  traceId: "trace",
  lifetime: Duration.hours(1),
  ...overrides
})

const approve = { verdict: "approve", by: "ana", reason: "" } as const
const deny = { verdict: "deny", by: "ben", reason: "too much" } as const

const outcomeOf = (decided: DecisionResult) =>
  decided._tag === "Unknown"
    ? "unknown"
    : decided._tag === "Refused"
      ? [decided.refusal, decided.request.state, decided.request.decision?.by]
      : [decided.request.state, decided.request.decision?.by]

export const approvalsContract = (name: string, layer: Layer.Layer<Approvals>): void => {
  let count = 0
  const test = (
    what: string,
    use: (
      approvals: Approvals["Service"],
      open: (overrides?: Partial<ApprovalQuestion>) => Effect.Effect<ApprovalRequest>,
      binding: string
    ) => Effect.Effect<void, unknown>
  ) =>
    it.effect(what, () =>
      Effect.flatMap(Approvals, (approvals) => {
        count += 1
        const binding = `${name} ${count}`
        return use(
          approvals,
          (overrides) =>
            Effect.map(Effect.orDie(approvals.open(opening(binding, overrides))), ({ request }) => request),
          binding
        )
      }).pipe(Effect.provide(layer))
    )

  describe(`Approvals (${name})`, () => {
    test("10.3 a text that is not an id finds no request, and is not an error", (approvals, open) =>
      Effect.gen(function* () {
        const { id } = yield* open()
        for (const other of ["", "a\u0000b", id.toUpperCase(), `${id}\n`, "x".repeat(1_000_000), "' OR 1=1 --"]) {
          assert.isUndefined(yield* approvals.find(other))
          assert.strictEqual((yield* approvals.decide(other, approve))._tag, "Unknown")
          const { requests } = yield* approvals.pending({ limit: 10_000, after: other })
          assert.include(
            requests.map((request) => request.id),
            id
          )
        }
      }))

    const masked = {
      shown: '{\n  "token": [hidden, 9 characters]\n}',
      hidden: 1,
      revealed: Redacted.make('{\n  "token": "ghp_12345\\u202e"\n}')
    }

    test("10.6 the masked parts of a pending request are revealed, and the people who have seen them are stored", (approvals, open) =>
      Effect.gen(function* () {
        const request = yield* open(masked)
        assert.deepStrictEqual([request.shown, request.hidden, request.reveals], [masked.shown, 1, undefined])
        assert.notInclude(JSON.stringify(yield* approvals.find(request.id)), "ghp_12345")
        const now = yield* Clock.currentTimeMillis
        assert.strictEqual(yield* approvals.reveal(request.id, "ana"), Redacted.value(masked.revealed))
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* approvals.reveal(request.id, "ben"), Redacted.value(masked.revealed))
        yield* approvals.decide(request.id, approve)
        assert.deepStrictEqual((yield* approvals.find(request.id))?.reveals, [
          { by: "ana", at: now },
          { by: "ben", at: now + 1_000 }
        ])
        assert.isUndefined(yield* approvals.reveal(request.id, "cleo"))
      }))

    test("10.6 nothing is revealed if the request has no masked parts, has expired, or does not exist", (approvals, open) =>
      Effect.gen(function* () {
        const { id } = yield* open()
        assert.isUndefined(yield* approvals.reveal(id, "ana"))
        assert.isUndefined((yield* approvals.find(id))?.reveals)
        assert.isUndefined(yield* approvals.reveal("' OR 1=1 --", "ana"))
        const hiding = yield* open({ ...masked, binding: `${id} masked` })
        yield* TestClock.adjust("2 hours")
        assert.isUndefined(yield* approvals.reveal(hiding.id, "ana"))
      }))

    test("10.3 a request is stored as it was opened", (approvals, open) =>
      Effect.gen(function* () {
        const hostile = "a\u0000b\ud800\u202e' \" \\ ; DROP TABLE"
        const request = yield* open({
          sentence: hostile,
          tool: hostile,
          traceId: hostile,
          callId: hostile,
          run: hostile,
          turn: { ...turn, tenant: hostile }
        })
        assert.match(request.id, /^[0-9a-f]{32}$/)
        assert.deepStrictEqual(yield* approvals.find(request.id), request)
        assert.deepStrictEqual([request.sentence, request.state, request.expiresAt], [hostile, "pending", 3_600_000])
        assert.deepStrictEqual([request.callId, request.run], [hostile, hostile])
        const listed = yield* approvals.pending({ limit: 10, tools: [hostile], tenants: [hostile] })
        assert.deepStrictEqual(listed, { requests: [request], total: 1 })
        assert.isUndefined(yield* approvals.find("0".repeat(32)))
        assert.strictEqual(outcomeOf(yield* approvals.decide("unknown", approve)), "unknown")
      }))

    test("10.4 an identical call joins a pending request, and a different call does not", (approvals, open, binding) =>
      Effect.gen(function* () {
        const first = yield* approvals.open(opening(binding))
        const [second, other] = [yield* approvals.open(opening(binding)), yield* approvals.open(opening(`${binding}!`))]
        assert.deepStrictEqual([first.isNew, second.isNew, other.isNew], [true, false, true])
        assert.deepStrictEqual(second.request, first.request)
        assert.notStrictEqual(other.request.id, first.request.id)
        assert.strictEqual((yield* open()).id, first.request.id)
      }))

    test("10.4 if fifty identical calls arrive at the same time, one opens the request and the others join it", (approvals, _, binding) =>
      Effect.gen(function* () {
        const all = yield* Effect.all(
          Array.from({ length: 50 }, () => approvals.open(opening(binding))),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          [all.filter(({ isNew }) => isNew).length, new Set(all.map(({ request }) => request.id)).size],
          [1, 1]
        )
      }))

    test("10.3 the first decision counts, and later decisions are refused with the name of the first approver", (approvals, open) =>
      Effect.gen(function* () {
        const { id } = yield* open()
        assert.deepStrictEqual(outcomeOf(yield* approvals.decide(id, approve)), ["approved", "ana"])
        assert.deepStrictEqual(outcomeOf(yield* approvals.decide(id, deny)), ["decided", "approved", "ana"])
        assert.deepStrictEqual(outcomeOf(yield* approvals.decide(id, approve)), ["decided", "approved", "ana"])
      }))

    test("10.3 if fifty decisions arrive at the same time, one counts", (approvals, open) =>
      Effect.gen(function* () {
        const { id } = yield* open()
        const all = yield* Effect.all(
          Array.from({ length: 50 }, (_, n) =>
            approvals.decide(id, { verdict: n % 2 === 0 ? "approve" : "deny", by: `person ${n}`, reason: "" })
          ),
          { concurrency: "unbounded" }
        )
        const taken = all.filter(({ _tag }) => _tag === "Taken")
        assert.lengthOf(taken, 1)
        const stored = yield* approvals.find(id)
        assert.deepStrictEqual(
          new Set(all.map((decided) => (decided._tag === "Unknown" ? "" : decided.request.decision?.by))),
          new Set([stored?.decision?.by])
        )
      }))

    test("10.4 an approval is consumed once, by its own call", (approvals, open) =>
      Effect.gen(function* () {
        const { binding, id } = yield* open()
        assert.isFalse(yield* approvals.consume(id, binding))
        yield* approvals.decide(id, approve)
        assert.isFalse(yield* approvals.consume(id, "0".repeat(64)))
        assert.strictEqual((yield* open()).state, "approved")
        const taken = yield* Effect.all(
          Array.from({ length: 20 }, () => approvals.consume(id, binding)),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(taken.filter(Boolean), 1)
        assert.strictEqual((yield* approvals.find(id))?.state, "used")
        const next = yield* open()
        assert.deepStrictEqual([next.state, next.id === id], ["pending", false])
      }))

    test("10.3 a decision with another binding is refused", (approvals, open) =>
      Effect.gen(function* () {
        const { binding, id } = yield* open()
        const refused = yield* approvals.decide(id, { ...approve, binding: "f".repeat(64) })
        assert.deepStrictEqual(outcomeOf(refused), ["other_binding", "pending", undefined])
        assert.deepStrictEqual(outcomeOf(yield* approvals.decide(id, { ...approve, binding })), ["approved", "ana"])
      }))

    test("10.3 an expired request cannot be decided, and an approval can expire", (approvals, open) =>
      Effect.gen(function* () {
        const late = yield* open()
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual(outcomeOf(yield* approvals.decide(late.id, approve)), ["expired", "expired", undefined])
        yield* approvals.tell(late.id)
        const { binding, id } = yield* open({ turn: { ...turn, turn: "next" } })
        yield* TestClock.adjust("59 minutes")
        yield* approvals.decide(id, approve)
        yield* TestClock.adjust("59 minutes")
        assert.strictEqual((yield* approvals.find(id))?.state, "approved")
        yield* TestClock.adjust("1 minute")
        assert.isFalse(yield* approvals.consume(id, binding))
        assert.strictEqual((yield* approvals.find(id))?.state, "expired")
      }))

    test("10.4 an identical call of a later turn receives a denial that is not reported yet, and then opens a new request", (approvals, open) =>
      Effect.gen(function* () {
        const later = { turn: { ...turn, turn: "later" } }
        const { id } = yield* open()
        yield* approvals.decide(id, deny)
        assert.deepStrictEqual(outcomeOf({ _tag: "Taken", request: yield* open(later) }), ["denied", "ben"])
        yield* approvals.tell(id)
        assert.strictEqual((yield* open()).id, id)
        assert.strictEqual((yield* open(later)).state, "pending")
      }))

    test("10.3 lists pending requests oldest first, by page, tool and tenant", (approvals, open, binding) =>
      Effect.gen(function* () {
        const tenants = [binding]
        const ids: Array<string> = []
        for (let n = 0; n < 5; n++) {
          yield* TestClock.adjust("1 second")
          const overrides = { turn: { ...turn, tenant: binding }, tool: n === 4 ? "other_tool" : "refund_order" }
          ids.push((yield* approvals.open(opening(`${binding} ${n}`, overrides))).request.id)
        }
        const page = (options: object) =>
          Effect.map(approvals.pending({ limit: 3, tenants, ...options }), ({ requests, total }) => [
            requests.map(({ id }) => ids.indexOf(id)),
            total
          ])
        assert.deepStrictEqual(yield* page({}), [[0, 1, 2], 5])
        assert.deepStrictEqual(yield* page({ after: ids[2] }), [[3, 4], 5])
        assert.deepStrictEqual(yield* page({ tools: ["other_tool"] }), [[4], 1])
        assert.deepStrictEqual(yield* page({ tools: [] }), [[], 0])
        assert.deepStrictEqual(yield* page({ tenants: ["another"] }), [[], 0])
        // the id of a request that the approver may not see is an unknown id
        const hidden = yield* open({ turn: { ...turn, tenant: `${binding} hidden` } })
        assert.deepStrictEqual(yield* page({ after: hidden.id }), [[0, 1, 2], 5])
        assert.deepStrictEqual(yield* page({ after: ids[4], tools: ["refund_order"] }), [[0, 1, 2], 4])
        yield* approvals.decide(ids[0] ?? "", approve)
        yield* TestClock.adjust("59 minutes")
        yield* TestClock.adjust("57 seconds")
        assert.deepStrictEqual(yield* page({}), [[2, 3, 4], 3])
      }))

    test("10.5 withdraws the pending requests of one turn, which can then no longer be decided", (approvals, _, binding) =>
      Effect.scoped(
        Effect.gen(function* () {
          const own = { ...turn, conversation: binding }
          const ids: Array<string> = []
          const ofAnother = { ...own, principal: "another" }
          for (const [n, over] of [own, own, { ...own, turn: "other" }, undefined, own, ofAnother].entries()) {
            const lifetime = Duration.hours(n === 4 ? 0.5 : 1)
            const { request } = yield* approvals.open(opening(`${binding} ${n}`, { turn: over, lifetime }))
            ids.push(request.id)
          }
          const [first, second, other, none, expired, another] = ids as [string, string, string, string, string, string]
          yield* approvals.decide(second, approve)
          yield* TestClock.adjust("30 minutes")
          const changes = yield* approvals.changes
          assert.strictEqual(yield* approvals.withdraw(own), 1)
          assert.deepStrictEqual(yield* PubSub.takeUpTo(changes, 5), [first])
          assert.strictEqual(yield* approvals.withdraw(own), 0)
          const states = yield* Effect.forEach([first, second, other, none, expired, another], (id) =>
            Effect.map(approvals.find(id), (found) => found?.state)
          )
          assert.deepStrictEqual(states, ["withdrawn", "approved", "pending", "pending", "expired", "pending"])
          assert.deepStrictEqual(outcomeOf(yield* approvals.decide(first, approve)), [
            "withdrawn",
            "withdrawn",
            undefined
          ])
          assert.isUndefined((yield* approvals.find(first))?.decision)
          const again = yield* approvals.open(opening(`${binding} 0`, { turn: own }))
          assert.deepStrictEqual([again.isNew, again.request.state], [true, "pending"])
        })
      ))

    test("10.3 marks an expired request once", (approvals, open) =>
      Effect.gen(function* () {
        const { id } = yield* open({ lifetime: Duration.minutes(1) })
        yield* TestClock.adjust("1 minute")
        assert.isAtLeast(yield* approvals.expire, 1)
        assert.strictEqual(yield* approvals.expire, 0)
        assert.strictEqual((yield* approvals.find(id))?.state, "expired")
      }))

    test("10.3 publishes the opening, decision and use of a request in this process", (approvals, open) =>
      Effect.scoped(
        Effect.gen(function* () {
          const changes = yield* approvals.changes
          const { binding, id } = yield* open()
          yield* approvals.decide(id, approve)
          yield* approvals.consume(id, binding)
          assert.deepStrictEqual(yield* PubSub.takeUpTo(changes, 5), [id, id, id])
        })
      ))
  })
}
