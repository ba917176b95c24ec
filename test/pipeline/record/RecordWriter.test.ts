/** Tests whole records: what each mode keeps and redacts. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Schema } from "effect"
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import type { Call } from "#pipeline/call/Call"
import * as RecordWriter from "#pipeline/record/RecordWriter"
import type { Keep } from "#services/CallLog"
import { callOf, define, turn } from "../support.ts"

/** Replaces "secret" in texts, and in the JSON of values. A value that does not contain it is returned unchanged. */
const redactor = {
  failure: (failure: Failure.Failure) => failure,
  text: (text: string) => text.replaceAll("secret", "[x]"),
  data: (value: unknown): unknown => {
    const json = JSON.stringify(value) as string | undefined
    return json?.includes("secret") === true ? JSON.parse(json.replaceAll("secret", "[y]")) : value
  }
}

const sha256 = (text: string) => `sha ${text}`
const search = define("search", { success: Schema.Struct({ n: Schema.String }), answers: "json" })
const renamed = define("search", { id: "shop.search", access: "write", success: Schema.String })
const fields = {
  tool: "search",
  code: "own",
  detail: "A secret.",
  hint: "Try.",
  sideEffect: "none",
  traceId: "trace"
} as const

/** Returns the fields of a record, with its digests. */
const plain = (record: object & { readonly keyDigest: string; readonly resultDigest?: string }) => ({
  ...record,
  keyDigest: record.keyDigest,
  ...(record.resultDigest === undefined ? {} : { resultDigest: record.resultDigest })
})

const written = (keep: Keep, call: Call, outcome: Outcome) =>
  plain(RecordWriter.writer(keep, redactor, sha256)(call, outcome, -5))

/** Returns a call with decoded arguments, and with the text that a model wrote, if it is given. */
const decoded = (call: Call, args: object, argumentsText?: string): Call => ({
  ...call,
  ...(argumentsText === undefined ? {} : { origin: "text" as const, argumentsText, input: argumentsText }),
  trace: { ...call.trace, arguments: args, key: () => `search ${JSON.stringify(args)}` }
})

const common = {
  tenant: turn.tenant,
  conversation: turn.conversation,
  turn: turn.turn,
  round: 1,
  callId: "call",
  tool: "search",
  startedAt: -5,
  durationMillis: 5,
  decisions: [],
  attempts: [],
  traceId: "trace"
}

describe("RecordWriter", () => {
  it.effect("15.1 a success has its arguments, key and result: whole, redacted, or only as digests", () =>
    Effect.gen(function* () {
      const call = decoded(yield* callOf(search), { q: "secret" }, '{"q": "secret"}')
      const outcome = success({ n: "a secret" })
      const digests = { keyDigest: 'sha search {"q":"secret"}', resultDigest: 'sha {"n":"a secret"}' }
      const whole = { ...common, ...digests, sideEffect: "none" }
      for (const [keep, kept] of [
        [
          "full",
          {
            argumentsText: '{"q": "secret"}',
            arguments: { q: "secret" },
            key: 'search {"q":"secret"}',
            outcome: { _tag: "Success", result: { n: "a secret" } }
          }
        ],
        [
          "redacted",
          {
            argumentsText: '{"q":"[y]"}',
            arguments: { q: "[y]" },
            key: 'search {"q":"[y]"}',
            outcome: { _tag: "Success", result: { n: "a [y]" } }
          }
        ],
        ["none", { outcome: { _tag: "Success" } }]
      ] as const)
        assert.deepStrictEqual<unknown>(written(keep, call, outcome), { ...whole, ...kept })
    })
  )

  it.effect("15.2 a record has the received arguments, except if the arguments of a program's call were decoded", () =>
    Effect.gen(function* () {
      const call = yield* callOf(search)
      const outcome = failed(new Failure.Permanent(fields))
      const kept = (of: Call, keep: Keep = "redacted") => {
        const {
          argumentsText,
          arguments: args,
          key
        } = written(keep, of, outcome) as {
          readonly argumentsText?: string
          readonly arguments?: unknown
          readonly key?: string
        }
        return [argumentsText, args, key]
      }
      assert.deepStrictEqual(kept({ ...call, input: { q: 1 } }), [undefined, { q: 1 }, undefined])
      assert.deepStrictEqual(kept({ ...call, input: { q: "secret" } }), [undefined, { q: "[y]" }, undefined])
      assert.deepStrictEqual(kept({ ...call, input: { q: "secret" } }, "full"), [undefined, { q: "secret" }, undefined])
      assert.deepStrictEqual(kept({ ...call, input: { q: 1 } }, "none"), [undefined, undefined, undefined])
      assert.deepStrictEqual(kept(decoded(call, { q: "a" })), [undefined, { q: "a" }, 'search {"q":"a"}'])
      for (const [text, expected] of [
        ['{"q": "a"}', '{"q": "a"}'],
        ['{"q": secret', '{"q": [x]'],
        [String.raw`{"q":"\u0073ecret"}`, '{"q":"[y]"}']
      ] as const) {
        const of: Call = { ...call, origin: "text", argumentsText: text, input: text }
        assert.deepStrictEqual(kept(of), [expected, undefined, undefined])
        assert.deepStrictEqual(kept(of, "full"), [text, undefined, undefined])
      }
    })
  )

  it.effect("15.2 a record names the principal, the id of the tool, and the turn, if there are any", () =>
    Effect.gen(function* () {
      const call = yield* callOf(renamed)
      const outcome = success("a")
      const inside: object = written("none", { ...call, turn: { ...turn, principal: "ana" } }, outcome)
      assert.deepInclude(inside, { ...turn, principal: "ana", toolId: "shop.search" })
      const outside = written("none", { ...call, turn: undefined }, outcome) as unknown as typeof common
      assert.deepStrictEqual(
        [outside.tenant, outside.conversation, outside.turn, "principal" in outside],
        ["default", "trace", "", false]
      )
    })
  )

  it.effect("3.3 the side effect is that of the failure, or follows from the access and the proof of a success", () =>
    Effect.gen(function* () {
      const [read, write] = [yield* callOf(search), yield* callOf(renamed)]
      for (const [call, outcome, sideEffect] of [
        [read, success({ n: "a" }), "none"],
        [write, success("a"), "committed"],
        [write, { ...success("a"), notExecuted: "Done before." }, "none"],
        [write, { ...success("a"), isAccepted: true as const }, "unknown"],
        [write, { ...success("a"), statedFailure: "No." }, "unknown"],
        [write, failed(new Failure.Permanent({ ...fields, sideEffect: "unknown" })), "unknown"]
      ] as const)
        assert.strictEqual((written("full", call, outcome) as { sideEffect?: string }).sideEffect, sideEffect)
      assert.deepStrictEqual<unknown>(
        (written("full", write, { ...success("a"), notExecuted: "Done before." }) as { outcome?: unknown }).outcome,
        { _tag: "Success", result: "a", executed: false }
      )
    })
  )

  it.effect("15.1 texts of decisions, of failures that were not enforced, and of a crash are redacted", () =>
    Effect.gen(function* () {
      const call = yield* callOf(search)
      const crash = Cause.die(new Error(`secret ${"z".repeat(20_000)}`))
      const trace = {
        ...call.trace,
        crash,
        decisions: [
          { stage: "check", decision: "refuse", reason: "A secret." },
          { stage: "loop", decision: "ask", reason: "Another secret." }
        ],
        notEnforced: [
          { class: "ToolArgError", code: "a", path: `secret${"p".repeat(300)}`, detail: "No secret." },
          { class: "ToolArgError", code: "b", detail: "No." }
        ]
      }
      const outcome = { ...failed(new Failure.Permanent(fields)), usedFallback: "cache" }
      const record = written(
        "none",
        { ...call, trace: trace as unknown as Call["trace"] },
        outcome
      ) as unknown as Record<string, unknown>
      assert.deepStrictEqual(record["decisions"], [
        { stage: "check", decision: "refuse", reason: "A [x]." },
        { stage: "loop", decision: "ask", reason: "Another [x]." }
      ])
      assert.deepStrictEqual(record["notEnforced"], [
        { class: "ToolArgError", code: "a", path: `[x]${"p".repeat(197)}`, detail: "No [x]." },
        { class: "ToolArgError", code: "b", detail: "No." }
      ])
      const text = String(record["crash"])
      assert.deepStrictEqual([text.length, text.startsWith("Error: [x] zzz")], [4_000, true])
      assert.strictEqual(record["usedFallback"], "cache")
      const broken = Object.defineProperty(new Error("a"), "stack", { get: () => assert.fail("no stack") })
      const unprinted = { ...call, trace: { ...call.trace, crash: Cause.die(broken) } }
      assert.strictEqual(
        (written("none", unprinted, outcome) as { crash?: string }).crash,
        "a defect that cannot be printed"
      )
      const plainRecord = written("none", call, success({ n: "a" }))
      for (const name of ["crash", "notEnforced", "usedFallback", "argumentsText", "key"])
        assert.isFalse(name in plainRecord, name)
    })
  )

  it.effect("15.2 a failure has its texts and its cause redacted, and its data only if data is kept", () =>
    Effect.gen(function* () {
      const call = yield* callOf(search)
      const failureOf = (keep: Keep, failure: Failure.Failure) => {
        const { outcome } = written(keep, call, failed(failure)) as unknown as {
          readonly outcome: { readonly failure: Readonly<Record<string, unknown>> }
        }
        return outcome.failure
      }
      const page = new Failure.PartialData({ ...fields, data: { n: "secret" }, next: { q: "secret" } })
      for (const [keep, data, next] of [
        ["full", { n: "secret" }, { q: "secret" }],
        ["redacted", { n: "[y]" }, { q: "[y]" }],
        ["none", null, null]
      ] as const) {
        const failure = failureOf(keep, page)
        assert.deepStrictEqual([failure["detail"], failure["data"], failure["next"]], ["A [x].", data, next])
        assert.isFalse("next" in failureOf(keep, new Failure.PartialData({ ...fields, data: { n: "a" } })))
      }
      const refused = new Failure.Permanent({ ...fields, refusal: { _tag: "Sold", sku: "secret" } })
      for (const [keep, refusal] of [
        ["full", { _tag: "Sold", sku: "secret" }],
        ["redacted", { _tag: "Sold", sku: "[y]" }],
        ["none", { _tag: "Sold" }]
      ] as const)
        assert.deepStrictEqual(failureOf(keep, refused)["refusal"], refusal)
      assert.deepStrictEqual(failureOf("none", new Failure.Permanent({ ...fields, refusal: {} }))["refusal"], {
        _tag: null
      })
      assert.isFalse("refusal" in failureOf("full", new Failure.Permanent(fields)))
      assert.isFalse("cause" in failureOf("full", new Failure.Permanent(fields)))
      const inner = Object.assign(new Error("inner secret"), { stack: "stack of secret" })
      const cause = Object.assign(new Error("outer secret", { cause: inner }), { stack: "secret stack" })
      const kept = failureOf("redacted", new Failure.Permanent({ ...fields, cause }))["cause"] as Error
      assert.deepStrictEqual(
        [kept.message, kept.stack, (kept.cause as Error).message, (kept.cause as Error).stack],
        ["outer [y]", "[y] stack", "inner [y]", "stack of [y]"]
      )
      assert.strictEqual(failureOf("full", new Failure.Permanent({ ...fields, cause: "a secret" }))["cause"], "a [y]")
    })
  )

  it.effect("4.15 a cause of megabytes is cut before a word, and loses its lists and objects", () =>
    Effect.gen(function* () {
      const call = yield* callOf(search)
      const causeOf = (cause: unknown) => {
        const { outcome } = written("none", call, failed(new Failure.Permanent({ ...fields, cause }))) as unknown as {
          readonly outcome: { readonly failure: Failure.Permanent }
        }
        return outcome.failure.cause
      }
      const text = `${"a secret ".repeat(100_000)}`
      const shown = String(causeOf(text))
      assert.isBelow(shown.length, 500_100)
      assert.isTrue(shown.startsWith("a [y] a [y] "))
      assert.isTrue(shown.endsWith("… (900000 characters)"))
      assert.notMatch(shown, /s(?:e(?:c(?:r(?:e)?)?)?)?…/u)
      const inner = causeOf(new Error("outer", { cause: new TypeError(text) })) as Error
      assert.strictEqual(inner.message, "outer")
      assert.isBelow((inner.cause as Error).message.length, 500_100)
      assert.strictEqual((inner.cause as Error).name, "TypeError")
      const rows = Array.from({ length: 50_000 }, (_, n) => ({ n, text: "a row" }))
      const omitted = "the other fields, which are too large for a record"
      assert.deepInclude(causeOf({ code: 7, reason: "a secret", rows }), { code: 7, omitted })
      assert.notInclude(JSON.stringify(causeOf({ message: "a secret", rows })), "secret")
      const small = { code: 7, rows: rows.slice(0, 2) }
      assert.deepStrictEqual(causeOf(small), small)
    })
  )

  it.effect("4.17 if the redactor throws, the record has no texts, and neither has the failure for the log", () =>
    Effect.gen(function* () {
      const broken = {
        ...redactor,
        text: (): string => assert.fail("no text"),
        data: (): unknown => assert.fail("no data")
      }
      const call = decoded(yield* callOf(search), { q: "a" }, '{"q":"a"}')
      const failure = new Failure.Permanent(fields)
      const record = plain(RecordWriter.writer("full", broken, sha256)(call, failed(failure), -5)) as unknown as {
        readonly outcome: { readonly failure: Failure.Failure }
      }
      assert.strictEqual(record.outcome.failure.detail, "[withheld]")
      assert.isFalse("argumentsText" in record || "arguments" in record || "key" in record)
      assert.strictEqual(RecordWriter.redactedFailure(broken, call, failure).detail, "[withheld]")
      assert.strictEqual(RecordWriter.redactedFailure(redactor, call, failure).detail, "A [x].")
      const page = new Failure.PartialData({ ...fields, data: { n: "a" } })
      assert.strictEqual((RecordWriter.redactedFailure(redactor, call, page) as Failure.PartialData).data, null)
    })
  )
})
