/**
 * Compares the answers of owners who share a guard and use the same ids with the answers that each of them gets alone
 * [8.3]. Every state whose key leaves out the tenant or the principal changes an answer.
 *
 * The owners use the same conversations, turns, call ids, arguments and keys. Handlers answer by the number of the
 * owner's own calls. Failures are permanent, because circuits and retry quotas are shared on purpose.
 */
import type { ApprovalRequest } from "#domain/approval/ApprovalRequest"
import * as Approval from "#domain/tool/Approval"
import { ownerValues, type Turn } from "#domain/turn/Turn"
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as CallLogMemory from "#layers/CallLogMemory"
import * as EscalationHttp from "#layers/EscalationHttp"
import * as StoresSql from "#layers/StoresSql"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import { Approvals } from "#services/Approvals"
import { CallLog } from "#services/CallLog"
import { CurrentTurn } from "#services/CurrentTurn"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import { Guard, ReadResult } from "#src/index"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { ask, define, handled, settled, type Tool } from "../pipeline/support.ts"
import { random } from "../support/JsonSchemaValues.ts"
import { sqliteFile } from "../support/sqliteFile.ts"
import { attackers, victim } from "./TenantAttacks.ts"

const owners: ReadonlyArray<Turn> = [victim, ...attackers]

const success = Schema.Struct({ n: Schema.Int, text: Schema.optionalKey(Schema.String) })
const write = { access: "write", success, budget: 9 }
const definitions: Readonly<Record<string, object>> = {
  look: { success },
  book: { ...write, idempotency: "derived" },
  redeem: { ...write, idempotency: "key" },
  run: write,
  log: { ...write, repeats: "allowed" },
  erase: { ...write, access: "destructive", idempotency: "derived", approval: () => Approval.confirm("Erase") }
}
const tools = Object.entries(definitions).map(([name, definition]) => define(name, definition))
const named = (name: string): Tool => tools.find(({ toolName }) => toolName === name) ?? assert.fail(name)

/** Returns the layers of the tools. Each handler counts the calls of each owner. */
const handlers = () => {
  const counts = new Map<string, number>()
  const answer = (name: string, { q }: { readonly q: string }) =>
    Effect.gen(function* () {
      const turn = yield* CurrentTurn
      const key = JSON.stringify([turn === undefined ? [] : ownerValues({ ...turn, conversation: undefined }), name, q])
      const n = (counts.get(key) ?? 0) + 1
      counts.set(key, n)
      if (q === "fails" && n % 2 === 1) return yield* Effect.fail(new Error("It cannot be done."))
      if (q === "broken") return `{"n":"${n}"}`
      return q === "large" ? { n, text: `${"x".repeat(20_000)} ${n}` } : { n: q === "same" ? 1 : n }
    })
  return tools.map((tool) => handled(tool, (args: { readonly q: string }) => answer(tool.toolName, args)))
}

const key = "voucher-2026-november"

/** One step of an owner. */
type Step = (turn: Turn) => Effect.Effect<string, unknown, any>

/** Replaces ids that differ in every run. */
const plain = (text: string): string =>
  text
    .replace(/tr_[\w-]+/gu, "TRACE")
    .replace(/artifact:\/\/\w+/gu, "ARTIFACT")
    .replace(/https:[^"\s]+/gu, "URL")

const nameOf = ({ arguments: args, reason, sentence, tool, turn }: ApprovalRequest): string =>
  JSON.stringify([turn?.conversation, turn?.turn, tool, reason, sentence, args])

const pickOf =
  (next: () => number) =>
  <A>(items: ReadonlyArray<A>): A =>
    items[Math.floor(next() * items.length)] as A

/** The few tools and arguments of a series of steps, so that most steps repeat an earlier one. */
interface Series {
  readonly names: ReadonlyArray<string>
  readonly queries: ReadonlyArray<string>
}

const seriesOf = (next: () => number): Series => {
  const pick = pickOf(next)
  return {
    names: [pick(Object.keys(definitions)), pick(["redeem", "erase", "book", "run"])],
    queries: [pick(["a", "same", "large"]), pick(["fails", "broken", "b"])]
  }
}

/** Returns a random step. */
const stepOf = ({ names, queries }: Series, next: () => number): Step => {
  const pick = pickOf(next)
  const name = pick(names)
  const q = pick(queries)
  const place = { conversation: pick(["c", "c", "c", "d"]), turn: pick(["1", "1", "1", "2"]) }
  const isKeyed = next() < 0.5
  const kind = next()
  return (turn) => {
    const own = { ...turn, ...place }
    const ofOwner = ({ turn: of }: { readonly turn?: Turn | undefined }) =>
      of?.tenant === turn.tenant && of.principal === turn.principal
    if (kind < 0.08) {
      return Effect.gen(function* () {
        const approvals = yield* Approvals
        // the ids of requests of the same time have a random order
        const [found] = (yield* approvals.pending({ limit: 1_000 })).requests
          .filter(ofOwner)
          .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
        const verdict = kind < 0.04 ? "approve" : "deny"
        return found === undefined
          ? "none"
          : (yield* approvals.decide(found.id, { verdict, by: "Ben", reason: "" }))._tag
      })
    }
    if (kind < 0.16) {
      return Effect.gen(function* () {
        const outcomes = yield* UnknownOutcomes
        const found = (yield* outcomes.open({ limit: 1_000, answered: true })).find(ofOwner)
        const settling =
          kind < 0.11 ? ({ finding: "done", result: { n: 77 } } as const) : ({ finding: "not_done" } as const)
        return found === undefined
          ? "none"
          : String((yield* outcomes.settle(found.id, { ...settling, by: "Ben", reason: "" }))?._tag)
      })
    }
    const args = isKeyed && name === "redeem" ? { q, idempotency_key: key } : { q }
    const call =
      kind < 0.25
        ? Effect.map(settled(named(name).call(args)), (it) => JSON.stringify(it))
        : Effect.map(ask([...tools, ReadResult as unknown as Tool], name, args), ({ text }) => text)
    // `Guard.turn` would end the turn, with its budgets and its memory
    return Effect.provideService(call, CurrentTurn, own)
  }
}

/** Makes the steps with one guard, and returns the answers and records of each owner. */
const answersOf = (
  steps: ReadonlyArray<readonly [owner: number, step: Step]>,
  stores: Layer.Layer<any, any>
): Effect.Effect<ReadonlyArray<ReadonlyArray<string>>, unknown> =>
  Effect.gen(function* () {
    const answers: ReadonlyArray<Array<string>> = owners.map(() => [])
    for (const [owner, step] of steps) answers[owner]?.push(plain(yield* step(owners[owner] ?? victim)))
    const log = yield* CallLog
    for (const [owner, turn] of owners.entries()) {
      for (const conversation of ["c", "d"])
        for (const id of ["1", "2"]) {
          const records = yield* log.recordsOf({ ...turn, conversation, turn: id })
          answers[owner]?.push(plain(JSON.stringify(records.map(({ outcome, tool }) => [tool, outcome]))))
        }
    }
    return answers
  }).pipe(
    Effect.provide(
      Layer.fresh(
        Layer.mergeAll(
          Layer.provideMerge(
            ReadResult.layerGuard,
            Guard.layerMemoryWith(
              Layer.provideMerge(EscalationHttp.layer({ publicUrl: "https://agents.example.com/" }), stores)
            )
          ),
          ...handlers()
        ) as Layer.Layer<any>
      )
    )
  ) as Effect.Effect<ReadonlyArray<ReadonlyArray<string>>, unknown>

const memory = Layer.mergeAll(
  ApprovalsMemory.layer,
  UnknownOutcomesMemory.layer,
  CallLogMemory.layerWith({ limit: 500 })
)

const isolated = (seed: number, count: number, stores: Layer.Layer<any, any>) =>
  Effect.gen(function* () {
    const next = random(seed)
    const series = seriesOf(next)
    const steps = Array.from(
      { length: count },
      () => [Math.floor(next() * owners.length), stepOf(series, next)] as const
    )
    const together = yield* answersOf(steps, stores)
    for (const index of owners.keys()) {
      const own = steps.filter(([owner]) => owner === index)
      const alone = yield* answersOf(own, stores)
      assert.deepStrictEqual(together[index], alone[index], `seed ${seed}, owner ${index}`)
    }
    return new Set(together.flat().map((text) => /"code":"(\w+)"/u.exec(text)?.[1] ?? "success"))
  })

describe("owners who share a guard and use the same ids", () => {
  it.effect("8.3 each owner gets the answers and records that it gets alone (memory)", () =>
    Effect.gen(function* () {
      const codes = new Set<string>()
      for (let seed = 1; seed <= 20; seed++) for (const code of yield* isolated(seed, 80, memory)) codes.add(code)
      // the steps reach the stages whose states they compare
      assert.includeMembers(
        [...codes],
        ["success", "requires_human_approval", "approval_denied", "key_conflict", "loop_detected"],
        [...codes].join(" ")
      )
    })
  )

  it.effect("8.3 each owner gets the answers and records that it gets alone (SQLite)", () =>
    Effect.forEach([101, 102], (seed) => isolated(seed, 90, StoresSql.layer.pipe(Layer.provide(sqliteFile))), {
      discard: true
    })
  )
})
