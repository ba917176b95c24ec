/**
 * Breaks custom functions and services that a call uses, in several ways. The call fails safe or continues without the
 * broken function, and the log names the function.
 */
import * as Approval from "#domain/tool/Approval"
import type { EscalationEvent } from "#domain/tool/EscalationPolicy"
import * as CallLogMemory from "#layers/CallLogMemory"
import { Authorizer } from "#services/Authorizer"
import { CallLog } from "#services/CallLog"
import { ClassificationRules, EscalationPolicy } from "#services/Policies"
import { Redactor } from "#services/Redactor"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { ask, asked, failureOf, settled, tool, within } from "./support.ts"

const throws = (): never => {
  throw new Error("boom")
}
const dies = () => Effect.die(new Error("boom"))
const refused = Effect.fail(Object.assign(new Error("refused"), { code: "ENOENT" }))
const reset = Effect.fail(Object.assign(new Error("reset"), { code: "ECONNRESET" }))
const brief = { retry: { attempts: 1 } }
const full = CallLogMemory.layerWith({ keep: "full" })
const unharmed = { n: 1 }
const anything = Schema.Struct({ n: Schema.Int, rows: Schema.optionalKey(Schema.Array(Schema.Int)) })
const noPerson = ["HumanReview", "no_person", "none"]

interface Row {
  /** The function that is broken, and how. */
  readonly what: string
  readonly definition?: object
  readonly answer?: unknown
  /** The outcome of a call of the tool. */
  readonly comesTo: unknown
  /** How often the tool ran. */
  readonly runs: number
  /** The decision that the log contains. */
  readonly noted: readonly [stage: string, decision: string, reason: string]
  readonly services?: Layer.Layer<never> | Layer.Layer<Authorizer>
  /** The detail of the failure, if the failure does not come from the tool. */
  readonly detail?: string
  readonly other?: ReturnType<typeof tool>
}

const cache = tool("cache", {}, { n: 9 })
const find = tool("find_it", brief, { n: 7 })

const authorizer = (over: object) =>
  Layer.succeed(Authorizer, {
    allowsAll: false,
    authorize: () => Effect.succeed({ _tag: "Allow" }),
    authorizeArguments: () => Effect.succeed({ _tag: "Allow" }),
    ...over
  })

const policy = (tag: EscalationEvent["_tag"], broken: () => any) =>
  Layer.succeed(EscalationPolicy, (event) => (event._tag === tag ? broken() : "auto"))

const check = (access: string, effect: string): Row => ({
  what: `a check of a ${access} throws`,
  definition: { ...brief, access, checks: { positive: throws } },
  comesTo: ["Permanent", "tool_crashed", effect],
  runs: 1,
  noted: ["check", "defect", "the check positive failed: Error: boom"],
  detail: "search answered, but its check positive crashed."
})

const approval = (how: string, broken: () => unknown, error: string): Row => ({
  what: `an approval ${how}`,
  definition: { access: "write", approval: broken },
  comesTo: noPerson,
  runs: 0,
  noted: ["approve", "crashed", `the tool's \`approval\` failed: ${error}`],
  detail: "search needs a person's approval, because its policy crashed. No person can be reached."
})

const rule = (how: string, match: () => any): Row => ({
  what: `a classification rule ${how}`,
  definition: brief,
  answer: refused,
  comesTo: ["Permanent", "not_found", "none"],
  runs: 1,
  noted: ["classify", "crashed", "a rule of `ClassificationRules` failed: Error: boom"],
  services: Layer.succeed(ClassificationRules, [{ name: "broken", match }])
})

const reconcile = (what: string, over: object): Row => ({
  what: `a reconcile's ${what} throws`,
  definition: {
    access: "write",
    reconcile: { tool: find.tool, arguments: () => ({ q: "a" }), found: () => Option.none(), ...over },
    ...brief
  },
  answer: reset,
  comesTo: ["HumanReview", "outcome_unknown", "unknown"],
  runs: 1,
  noted: ["reconcile", "unknown", "the tool's reconcile failed: Error: boom"],
  other: find
})

const denied = (how: string, member: string, broken: () => unknown): Row => ({
  what: `the authorizer's ${member} ${how}`,
  comesTo: ["Permanent", "unauthorized", "none"],
  runs: 0,
  noted: [member, "crashed", "the authorizer failed: Error: boom"],
  services: authorizer({ [member]: broken }),
  detail: "Access could not be checked."
})

const rows: ReadonlyArray<Row> = [
  check("read", "none"),
  check("write", "committed"),
  approval("throws", throws, "Error: boom"),
  approval("fails", () => Effect.fail("no database"), "no database"),
  approval("dies", dies, "Error: boom"),
  approval("gives no level", () => ({ level: "maybe", sentence: "" }), "it returned no level or no sentence"),
  approval("gives no sentence", () => ({ level: "inform" }), "it returned no level or no sentence"),
  approval("is a promise", async () => Approval.auto, "it returned no level or no sentence"),
  {
    what: "a policy asked about a call throws",
    definition: { access: "destructive" },
    comesTo: noPerson,
    runs: 0,
    noted: ["approve", "crashed", "the escalation policy failed: Error: boom"],
    services: policy("CallRequested", throws),
    detail: "search needs a person's approval, because its policy crashed. No person can be reached."
  },
  {
    what: "a policy returns no level for a call",
    comesTo: noPerson,
    runs: 0,
    noted: ["approve", "crashed", "the escalation policy failed: it returned no level"],
    services: policy("CallRequested", () => undefined)
  },
  {
    what: "a policy asked about a failure throws",
    definition: brief,
    answer: refused,
    comesTo: ["Permanent", "not_found", "none"],
    runs: 1,
    noted: ["escalate", "crashed", "the escalation policy failed: Error: boom"],
    services: policy("CallFailed", throws)
  },
  rule("throws", throws),
  {
    what: "a fallback's mapping throws",
    definition: { ...brief, fallbacks: [{ tool: cache.tool, arguments: throws }] },
    answer: refused,
    comesTo: ["Permanent", "not_found", "none"],
    runs: 1,
    noted: ["fallback", "crashed", "the mapping to cache failed: Error: boom"],
    other: cache
  },
  reconcile("mapping", { arguments: throws }),
  reconcile("reading", { found: throws }),
  {
    what: "a poll's `until` throws",
    definition: { poll: { interval: "1 second", deadline: "1 minute", until: throws } },
    comesTo: unharmed,
    runs: 1,
    noted: ["loop", "crashed", "the poll's `until` failed: Error: boom"]
  },
  {
    what: "a salvage's continuation throws",
    definition: { ...brief, salvage: { path: "rows", next: throws } },
    answer: '{"n":1,"rows":[1,2,',
    comesTo: ["SchemaMismatch", "truncated_response", "none"],
    runs: 1,
    noted: ["parseResult", "crashed", "the tool's salvage failed: Error: boom"]
  },
  denied("throws", "authorize", throws),
  denied("dies", "authorize", dies),
  denied("throws", "authorizeArguments", throws),
  denied("dies", "authorizeArguments", dies)
]

describe("a custom function that breaks", () => {
  for (const { answer = unharmed, comesTo, definition = {}, detail, noted, other, runs, services, what } of rows) {
    it.effect(`2.5, 10.2 ${what}`, () => {
      const search = tool("search", { success: anything, ...definition }, answer)
      const [stage, decision, reason] = noted
      const guard = Guard.layerMemoryWith(Layer.merge(full, services ?? Layer.empty))
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* asked(search.tool, { q: "a" }), comesTo)
        assert.strictEqual(search.runs(), runs)
        const record = (yield* (yield* CallLog).records).find((record) => record.tool === "search")
        assert.deepInclude([...record!.decisions], { stage, decision, reason })
        const { outcome } = record!
        if (detail !== undefined) {
          assert.isTrue(outcome._tag === "Failure")
          assert.strictEqual(outcome._tag === "Failure" && outcome.failure.detail, detail)
        }
      }).pipe(within(other === undefined ? [search.layer] : [search.layer, other.layer], guard))
    })
  }

  it.effect("7.3, 10.2 if a policy throws for a loop and no person can be reached, the call is refused", () => {
    const search = tool("search", {}, unharmed)
    return Effect.gen(function* () {
      for (let n = 0; n < 2; n++) yield* asked(search.tool, { q: "a" })
      const { decisions, envelope } = yield* ask([search.tool], "search", { q: "a" })
      assert.deepStrictEqual([envelope.error.code, search.runs()], ["loop_detected", 2])
      assert.deepInclude([...decisions], {
        stage: "loop",
        decision: "crashed",
        reason: "the escalation policy failed: Error: boom"
      })
    }).pipe(within([search.layer], Guard.layerMemoryWith(policy("LoopDetected", throws))))
  })

  it.effect("4.15 the error of the function is in the log, without secrets", () => {
    const secret = "postgres://admin:hunter2-hunter2@db.internal/orders"
    const search = tool("search", { access: "write", approval: () => Effect.fail(new Error(secret)) }, unharmed)
    return Effect.gen(function* () {
      const failure = yield* failureOf(search.tool.call({ q: "a" }))
      assert.strictEqual((failure.cause as Error).message, secret)
      const [record] = yield* (yield* CallLog).records
      const outcome = record!.outcome
      assert.isTrue(outcome._tag === "Failure")
      const cause = outcome._tag === "Failure" ? (outcome.failure.cause as Error) : new Error("")
      assert.notInclude(JSON.stringify(record) + cause.message + cause.stack, "hunter2")
      assert.include(record!.decisions[0]!.reason, "the tool's `approval` failed: Error: postgres://")
    }).pipe(within([search.layer], Guard.layerMemoryWith(full)))
  })

  it.effect("2.5 an error that cannot be printed does not crash the call", () => {
    const hostile = Object.create(null) as object
    const search = tool("search", { access: "write", approval: () => Effect.fail(hostile) }, unharmed)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), noPerson)
    }).pipe(within([search.layer], Guard.layerMemoryWith(full)))
  })
})

describe("a redactor that breaks", () => {
  const password = "hunter2-hunter2"
  const redactor = (over: Partial<Redactor["Service"]>) =>
    Guard.layerMemoryWith(
      Layer.merge(
        full,
        Layer.succeed(Redactor, {
          failure: (failure) => failure,
          data: (value) => value,
          text: (text) => text,
          ...over
        })
      )
    )
  const failing = Effect.fail(Object.assign(new Error(password), { code: "ENOENT" }))

  it.effect("4.15 a model reads nothing unredacted, and a program receives the value", () => {
    const search = tool("search", brief, unharmed, failing, unharmed)
    return Effect.gen(function* () {
      const { envelope } = yield* ask([search.tool], "search", { q: "a" })
      assert.deepStrictEqual(
        [envelope.error.code, envelope.error.message],
        ["tool_crashed", "The answer could not be shown."]
      )
      const { text } = yield* ask([search.tool], "search", { q: "b" })
      assert.notInclude(text, password)
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "c" })), unharmed)
    }).pipe(within([search.layer], redactor({ failure: throws, data: throws })))
  })

  for (const member of ["text", "data"] as const) {
    it.effect(`10.2 a call that needs approval is not made if ${member} throws`, () => {
      const drop = tool("drop_it", { access: "destructive" }, unharmed)
      return Effect.gen(function* () {
        const failure = yield* failureOf(drop.tool.call({ q: "a" }))
        assert.deepStrictEqual(
          [failure.code, failure.sideEffect, failure.detail, drop.runs()],
          ["tool_crashed", "none", "The guard around drop_it crashed before the tool ran.", 0]
        )
      }).pipe(within([drop.layer], redactor({ [member]: throws })))
    })
  }

  it.effect("4.17 the call is recorded without texts, and the failure is unchanged", () => {
    const search = tool("search", { ...brief, critical: true }, failing)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), ["Permanent", "not_found", "none"])
      const [record] = yield* (yield* CallLog).records
      assert.deepStrictEqual([record?.tool, record?.attempts.length], ["search", 1])
      assert.notInclude(JSON.stringify(record), password)
      assert.strictEqual(record?.outcome._tag === "Failure" && record.outcome.failure.detail, "[withheld]")
    }).pipe(within([search.layer], redactor({ text: throws, data: throws })))
  })
})
