import {
  type ApprovalRequest,
  at,
  joins,
  mayDecide,
  type State,
  stateAt,
  step,
  type Step,
  type StepResult
} from "#domain/approval/ApprovalRequest"
import { assert, describe, it } from "@effect/vitest"
import { turn } from "../../contracts/values.ts"

const pending: ApprovalRequest = {
  id: "id",
  binding: "binding",
  level: "confirm",
  reason: "approval",
  tool: "refund_order",
  sentence: "Refund 20000 cents",
  turn,
  traceId: "trace",
  requestedAt: 0,
  expiresAt: 100,
  lifetimeMillis: 100,
  state: "pending"
}
const decided = { verdict: "approve", by: "ana", reason: "", at: 10 } as const

const states: Readonly<Record<State, ApprovalRequest>> = {
  pending,
  approved: { ...pending, state: "approved", decision: decided, expiresAt: 110 },
  denied: { ...pending, state: "denied", decision: { ...decided, verdict: "deny" } },
  expired: { ...pending, state: "expired" },
  used: { ...pending, state: "used", decision: decided, expiresAt: 110 },
  withdrawn: { ...pending, state: "withdrawn" }
}

const decide = (verdict: "approve" | "deny" | "answer", over: object = {}): Step => ({
  _tag: "Decide",
  verdict,
  by: "ben",
  reason: "",
  ...over
})

const steps: Readonly<Record<string, Step>> = {
  approve: decide("approve"),
  deny: decide("deny", { reason: " too much " }),
  answer: decide("answer", { reason: "Use O-2." }),
  emptyAnswer: decide("answer", { reason: "  " }),
  decideOther: decide("approve", { binding: "other" }),
  consume: { _tag: "Consume", binding: "binding" },
  consumeOther: { _tag: "Consume", binding: "other" },
  tell: { _tag: "Tell" },
  withdraw: { _tag: "Withdraw" }
}

const came = (stepped: StepResult): string => (stepped._tag === "Taken" ? stepped.request.state : stepped.refusal)

/** The new state or the refusal of each step in each state, at a time before `expiresAt`. */
const table: Readonly<Record<string, Readonly<Record<State, string>>>> = {
  approve: {
    pending: "approved",
    approved: "decided",
    denied: "decided",
    expired: "expired",
    used: "decided",
    withdrawn: "withdrawn"
  },
  deny: {
    pending: "denied",
    approved: "decided",
    denied: "decided",
    expired: "expired",
    used: "decided",
    withdrawn: "withdrawn"
  },
  answer: {
    pending: "denied",
    approved: "decided",
    denied: "decided",
    expired: "expired",
    used: "decided",
    withdrawn: "withdrawn"
  },
  emptyAnswer: {
    pending: "empty_answer",
    approved: "decided",
    denied: "decided",
    expired: "expired",
    used: "decided",
    withdrawn: "withdrawn"
  },
  decideOther: {
    pending: "other_binding",
    approved: "other_binding",
    denied: "other_binding",
    expired: "other_binding",
    used: "other_binding",
    withdrawn: "other_binding"
  },
  consume: {
    pending: "not_approved",
    approved: "used",
    denied: "not_approved",
    expired: "expired",
    used: "used",
    withdrawn: "not_approved"
  },
  consumeOther: {
    pending: "other_binding",
    approved: "other_binding",
    denied: "other_binding",
    expired: "other_binding",
    used: "other_binding",
    withdrawn: "other_binding"
  },
  tell: {
    pending: "undecided",
    approved: "undecided",
    denied: "denied",
    expired: "expired",
    used: "undecided",
    withdrawn: "undecided"
  },
  withdraw: {
    pending: "withdrawn",
    approved: "decided",
    denied: "decided",
    expired: "decided",
    used: "decided",
    withdrawn: "decided"
  }
}

describe("ApprovalRequest", () => {
  for (const [name, row] of Object.entries(table)) {
    it(`10.3 the step "${name}" changes or refuses a request as the table says, in every state`, () => {
      const taken = steps[name]
      assert.isDefined(taken)
      const outcomes = Object.entries(states).map(([state, request]) => [state, came(step(request, taken, 50))])
      assert.deepStrictEqual(Object.fromEntries(outcomes), row)
    })
  }

  it("10.3 a used approval cannot be used again", () => {
    const again = step(states.used, { _tag: "Consume", binding: "binding" }, 50)
    assert.deepStrictEqual(again, { _tag: "Refused", refusal: "used", request: states.used })
  })

  it("10.3 a decision has author, time and reason, and sets the expiry of an approval", () => {
    const approved = step(pending, decide("approve"), 60)
    assert.deepStrictEqual(approved.request, {
      ...pending,
      state: "approved",
      decision: { verdict: "approve", by: "ben", reason: "", at: 60 },
      expiresAt: 160
    })
    const denied = step(pending, decide("deny", { reason: ` ${"x".repeat(3_000)}` }), 60).request
    assert.deepStrictEqual([denied.decision?.reason.length, denied.expiresAt], [2_000, 100])
  })

  it("10.3 a pending or approved request expires exactly at its time; a denied or used request never expires", () => {
    const stateIn = (state: State, now: number) => stateAt(states[state], now)
    assert.deepStrictEqual([stateIn("pending", 99), stateIn("pending", 100)], ["pending", "expired"])
    assert.deepStrictEqual([stateIn("approved", 109), stateIn("approved", 110)], ["approved", "expired"])
    assert.deepStrictEqual([stateIn("denied", 1_000), stateIn("used", 1_000)], ["denied", "used"])
    assert.strictEqual(came(step(pending, decide("approve"), 100)), "expired")
    assert.strictEqual(came(step(states.approved, { _tag: "Consume", binding: "binding" }, 110)), "expired")
    // the request was approved in time, but its call never started: a later decision is refused as decided
    assert.strictEqual(came(step(states.approved, decide("deny"), 110)), "decided")
  })

  it("10.4 an identical call joins an open request, and an unreported denial; a reported denial only in its own turn", () => {
    const other = { ...turn, turn: "other" }
    const joined = (state: State, over: Partial<ApprovalRequest> = {}, now = 50) => {
      const request = { ...states[state], ...over }
      return [joins(request, turn, now), joins(request, other, now), joins(request, undefined, now)]
    }
    assert.deepStrictEqual(joined("pending"), [true, true, true])
    assert.deepStrictEqual(joined("approved"), [true, true, true])
    assert.deepStrictEqual(joined("used"), [false, false, false])
    assert.deepStrictEqual(joined("withdrawn"), [false, false, false])
    assert.deepStrictEqual(joined("denied"), [true, true, true])
    assert.deepStrictEqual(joined("denied", { toldAt: 20 }), [true, false, false])
    assert.deepStrictEqual(joined("pending", { toldAt: 20 }, 100), [true, false, false])
    assert.deepStrictEqual(joined("denied", { reason: "disk_full" }), [true, true, true])
    assert.deepStrictEqual(joined("denied", { toldAt: 20, reason: "disk_full" }), [false, false, false])
  })

  it("10.3 an approver decides only for the tools and tenants in the approver's lists", () => {
    const may = (over: object) => mayDecide({ name: "ana", ...over }, pending)
    assert.isTrue(may({}))
    assert.deepStrictEqual(
      [may({ tools: ["refund_order"] }), may({ tools: ["other"] }), may({ tools: [] })],
      [true, false, false]
    )
    assert.deepStrictEqual([may({ tenants: ["tenant"] }), may({ tenants: ["other"] })], [true, false])
    const { turn: _, ...outside } = pending
    assert.isTrue(mayDecide({ name: "ana", tenants: ["default"] }, outside))
  })

  it("10.3 a request whose state does not change is returned as the same object, and an expiring request as a copy", () => {
    assert.strictEqual(at(pending, 99), pending)
    assert.deepStrictEqual(at(pending, 100), states.expired)
    assert.strictEqual(pending.state, "pending")
  })

  it("10.3 a decision with the binding of the request counts, and the first report of a denial is kept", () => {
    assert.strictEqual(came(step(pending, decide("approve", { binding: "binding" }), 50)), "approved")
    const told = step(states.denied, { _tag: "Tell" }, 20).request
    assert.strictEqual(told.toldAt, 20)
    assert.strictEqual(step(told, { _tag: "Tell" }, 50).request.toldAt, 20)
    assert.strictEqual(step({ ...told, toldAt: 0 }, { _tag: "Tell" }, 50).request.toldAt, 0)
  })

  it("10.4 a call does not join a reported denial of a request that was made outside of a turn", () => {
    const { turn: _, ...outside } = states.denied
    for (const own of [turn, undefined]) assert.isFalse(joins({ ...outside, toldAt: 20 }, own, 50))
    assert.isTrue(joins({ ...states.approved, toldAt: 20 }, undefined, 50))
  })
})
