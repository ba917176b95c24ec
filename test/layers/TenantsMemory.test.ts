import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import { Approvals } from "#services/Approvals"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { opening } from "../contracts/Approvals.ts"
import { outcome } from "../contracts/UnknownOutcomes.ts"

const many = 10_000

const turnOf = (tenant: string) => ({ tenant, conversation: "c", turn: "t" })

describe("memory of several tenants", () => {
  it.effect(
    "10.5 if a tenant has 10,001 unknown outcomes, its oldest is forgotten, and those of another tenant are kept",
    () =>
      Effect.gen(function* () {
        const outcomes = yield* UnknownOutcomes
        const other = yield* outcomes.add(outcome({ turn: turnOf("other") }))
        const first = yield* outcomes.add(outcome({ turn: turnOf("full") }))
        const second = yield* outcomes.add(outcome({ turn: turnOf("full") }))
        for (let n = 2; n <= many; n += 1) yield* outcomes.add(outcome({ turn: turnOf("full") }))
        assert.isUndefined(yield* outcomes.find(first.id))
        assert.isDefined(yield* outcomes.find(second.id))
        assert.isDefined(yield* outcomes.find(other.id))
      }).pipe(Effect.provide(UnknownOutcomesMemory.layer))
  )

  it.effect("10.3 if a tenant has 10,000 pending requests, it cannot open more, but another tenant can", () =>
    Effect.gen(function* () {
      const approvals = yield* Approvals
      const open = (tenant: string, n: number) => approvals.open(opening(`${tenant} ${n}`, { turn: turnOf(tenant) }))
      const { request } = yield* open("full", 0)
      for (let n = 1; n < many; n += 1) yield* open("full", n)
      assert.strictEqual((yield* Effect.flip(open("full", many)))._tag, "ApprovalsUnavailable")
      assert.isTrue((yield* open("other", 0)).isNew)
      assert.isFalse((yield* open("full", 0)).isNew)
      yield* approvals.decide(request.id, { verdict: "deny", by: "ann", reason: "" })
      assert.isTrue((yield* open("full", many)).isNew)
      assert.isUndefined(yield* approvals.find(request.id))
    }).pipe(Effect.provide(ApprovalsMemory.layer))
  )
})
