/** Tests the failures of classified errors, the successes of answers, the waits of retryable failures, and timers. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Random } from "effect"
import type { ErrorClassification } from "#domain/classification/Classification"
import { failed, type Outcome, success } from "#domain/call/Outcome"
import { statedGarbage } from "#domain/answers/StatedVerdict"
import * as Failure from "#domain/failure/Failure"
import { codes } from "#domain/failure/FailureCode"
import * as ClassifiedFailure from "#pipeline/answer/ClassifiedFailure"
import { withWait } from "#pipeline/answer/RetryWait"
import { ofAnswer } from "#pipeline/answer/SideEffectOfAnswer"
import * as SuccessOfAnswer from "#pipeline/answer/SuccessOfAnswer"
import * as Timer from "#pipeline/answer/Timer"
import type { Answer } from "#pipeline/call/Answer"
import type { Call } from "#pipeline/call/Call"
import { compiledOf } from "#pipeline/call/CompiledTool"
import { callOf, define } from "../support.ts"

const pay = define("pay", { access: "write" })
const look = define("look")
const judged = define("pay", { checks: { statedGarbage } })

const classified: ErrorClassification = {
  tag: "Permanent",
  code: "tool_failed",
  detail: "It failed.",
  sideEffect: "unknown",
  ground: "no evidence",
  isAnswered: false,
  rule: "own"
}

const cause = new Error("cause")

/** Returns the fields of a failure. Its cause is not enumerable. */
const plain = (failure: Failure.Failure) => ({ ...failure, cause: failure.cause })

describe("ClassifiedFailure", () => {
  it.effect("3.1 a classified error becomes a failure of its class, with its own words", () =>
    Effect.gen(function* () {
      const call = { ...(yield* callOf(pay)), acceptsAnyShape: false }
      const common = { tool: "pay", sideEffect: "unknown", traceId: "trace", cause }
      for (const [more, expected] of [
        [{}, { _tag: "Permanent", code: "tool_failed", detail: "It failed.", hint: codes.tool_failed.hint }],
        [
          { tag: "ToolArgError", code: "not_found", ownCode: "no_order", fields: ["id"], hint: "Use another id." },
          { _tag: "ToolArgError", code: "no_order", detail: "It failed.", hint: "Use another id.", fields: ["id"] }
        ],
        [
          { tag: "Transient", code: "timeout", retryAfter: Duration.seconds(2) },
          {
            _tag: "Transient",
            code: "timeout",
            detail: "It failed.",
            hint: codes.timeout.hint,
            retryAfter: Duration.seconds(2)
          }
        ],
        [
          { sideEffect: "committed", hint: "Try again." },
          {
            _tag: "Permanent",
            code: "tool_failed",
            detail: "It failed.",
            hint: "The action was done. Do not call again.",
            sideEffect: "committed"
          }
        ],
        [
          { tag: "SchemaMismatch", code: "done_unreadable", sideEffect: "committed" },
          {
            _tag: "SchemaMismatch",
            code: "done_unreadable",
            detail: "pay was done; its answer could not be read.",
            hint: codes.done_unreadable.hint,
            sideEffect: "committed"
          }
        ],
        // a class that a program's type does not have
        [
          { tag: "PartialData", hint: "Go on.", ownCode: "page" },
          { _tag: "Permanent", code: "tool_failed", detail: "It failed.", hint: codes.tool_failed.hint }
        ],
        [
          { tag: "SemanticGarbage", hint: "No.", ownCode: "celsius", sideEffect: "none" },
          {
            _tag: "Permanent",
            code: "tool_failed",
            detail: "It failed.",
            hint: codes.tool_failed.hint,
            sideEffect: "none"
          }
        ],
        [
          { tag: "SemanticGarbage", rule: "declared", hint: "Rethink.", ownCode: "celsius" },
          { _tag: "Permanent", code: "celsius", detail: "It failed.", hint: "Rethink." }
        ]
      ] as const) {
        const { failure, ...rest } = ClassifiedFailure.of(call, { ...classified, ...more }, cause)
        assert.deepStrictEqual<unknown>(plain(failure), { ...common, ...expected }, JSON.stringify(more))
        assert.isFalse("isAnswered" in rest)
      }
      assert.isTrue(ClassifiedFailure.of(call, { ...classified, isAnswered: true }, cause).isAnswered)
    })
  )

  it.effect(
    "3.1 an error that states garbage is SemanticGarbage for a model, and for a program whose type has it",
    () =>
      Effect.gen(function* () {
        const stated: ErrorClassification = {
          ...classified,
          tag: "SemanticGarbage",
          rule: "declared",
          ownCode: "celsius"
        }
        for (const [tool, acceptsAnyShape] of [
          [pay, true],
          [judged, false]
        ] as const) {
          const call = { ...(yield* callOf(tool)), acceptsAnyShape }
          const { failure } = ClassifiedFailure.of(call, { ...stated, fields: ["a"], hint: "Rethink." }, cause)
          assert.deepStrictEqual<unknown>(plain(failure), {
            _tag: "SemanticGarbage",
            tool: "pay",
            code: "celsius",
            detail: "It failed.",
            hint: "Rethink.",
            fields: ["a"],
            sideEffect: "unknown",
            traceId: "trace",
            cause
          })
          const { ownCode: _, ...unnamed } = stated
          const bare = ClassifiedFailure.of(call, unnamed, cause).failure
          assert.deepStrictEqual(
            [bare.code, bare.hint],
            [
              "stated_garbage",
              "The tool rejects its own result. Change the arguments, use another tool or tell the user."
            ]
          )
        }
      })
  )

  it.effect("3.1 the fields of a declared error follow the detail, in at most 500 characters", () =>
    Effect.gen(function* () {
      const call = yield* callOf(pay)
      const { tool } = call
      const detailOf = (fieldsOfError: (error: unknown) => string | undefined) =>
        ClassifiedFailure.of(
          { ...call, tool: { ...tool, definition: { ...tool.definition, fieldsOfError } } },
          { ...classified, detail: "d".repeat(600) },
          cause
        ).failure.detail
      assert.strictEqual(detailOf(() => undefined).length, 600)
      assert.strictEqual(
        detailOf(() => "sku: A"),
        "d".repeat(500)
      )
      const short = ClassifiedFailure.of(
        {
          ...call,
          tool: { ...tool, definition: { ...tool.definition, fieldsOfError: (error) => (error as Error).message } }
        },
        classified,
        cause
      )
      assert.strictEqual(short.failure.detail, "It failed. cause")
    })
  )
})

describe("SuccessOfAnswer", () => {
  const responded = (status: number): Answer => ({
    _tag: "Response",
    status,
    headers: {},
    text: "{}",
    bytes: 2,
    cut: false
  })
  const text: Answer = { _tag: "Text", text: "{}", bytes: 2, cut: false }

  it("3.3 a complete answer proves a write, except the status 202", () => {
    for (const [access, answer, sideEffect] of [
      ["read", responded(202), "none"],
      ["read", text, "none"],
      ["write", responded(200), "committed"],
      ["write", responded(202), "unknown"],
      ["write", text, "committed"],
      ["destructive", responded(202), "unknown"],
      ["destructive", { _tag: "Value", value: 1 }, "committed"]
    ] as const)
      assert.strictEqual(ofAnswer(access, answer), sideEffect)
  })

  it("3.3 a success has its result, its parts, its size, and what its answer does not prove", () => {
    const parts = [{ type: "text", text: "a" }] as const
    for (const [tool, more, answer, expected] of [
      [pay, {}, { _tag: "Value", value: 1 }, success(1)],
      [pay, { parts }, { _tag: "Value", value: 1 }, success(1, parts)],
      [pay, {}, text, { ...success(1), bytes: 2 }],
      [pay, {}, responded(200), { ...success(1), bytes: 2 }],
      [pay, {}, responded(202), { ...success(1), bytes: 2, isAccepted: true }],
      [look, {}, responded(202), { ...success(1), bytes: 2 }],
      [pay, {}, { _tag: "Stated", error: 1, answer: text }, success(1)],
      [pay, { statedFailure: "No." }, text, { ...success(1), bytes: 2, statedFailure: "No." }]
    ] as const)
      assert.deepStrictEqual<unknown>(SuccessOfAnswer.of(compiledOf(tool), { result: 1, ...more }, answer), expected)
  })
})

describe("RetryWait", () => {
  const fields = { tool: "a", code: "timeout", detail: "", hint: "", sideEffect: "none", traceId: "" } as const
  const transient = (more: object = {}) => failed(new Failure.Transient({ ...fields, ...more }))
  const tool = define("look", {
    retry: { attempts: 3, base: "1 second", cap: "20 seconds", jitter: "none" }
  })

  const waitOf = (call: Call, outcome: Outcome) =>
    Effect.gen(function* () {
      const waited = withWait(call, outcome)
      const after = Effect.isEffect(waited) ? yield* waited : waited
      return after._tag === "Failure" ? after.retryAfterMillis : "success"
    }).pipe(Random.withSeed("seed"))

  it.effect("4.7 only a transient failure without a side effect has a wait", () =>
    Effect.gen(function* () {
      const call = yield* callOf(tool)
      for (const outcome of [
        success(1),
        failed(new Failure.Resource(fields)),
        failed(new Failure.Permanent(fields)),
        transient({ sideEffect: "unknown" }),
        transient({ sideEffect: "committed" })
      ])
        assert.strictEqual(withWait(call, outcome), outcome)
    })
  )

  it.effect("4.7 the wait is the remaining time until `readyAt`, or the delay after the last attempt", () =>
    Effect.gen(function* () {
      const call = yield* callOf(tool)
      const now = yield* Clock.currentTimeMillis
      const at = (readyAt: number | undefined, attempts = 0): Call => ({
        ...call,
        trace: {
          ...call.trace,
          readyAt,
          attempts: Array.from({ length: attempts }, () => ({ startedAt: 0, durationMillis: 0, outcome: "Transient" }))
        } as unknown as Call["trace"]
      })
      const asked = transient({ retryAfter: Duration.millis(2_500.5) })
      assert.strictEqual(yield* waitOf(at(now + 700.5), transient()), 701)
      assert.strictEqual(yield* waitOf(at(now - 5), transient()), 1)
      assert.strictEqual(yield* waitOf(at(now + 700), asked), 2_501)
      assert.strictEqual(yield* waitOf(at(now + 9_000), asked), 9_000)
      // the delay after the last attempt, or after the third attempt if there were fewer
      assert.strictEqual(yield* waitOf(at(undefined), transient()), 4_000)
      assert.strictEqual(yield* waitOf(at(undefined, 4), transient()), 8_000)
      assert.strictEqual(yield* waitOf(at(undefined), asked), 4_000)
      assert.strictEqual(yield* waitOf(at(undefined), transient({ retryAfter: Duration.seconds(9) })), 9_000)
    })
  )
})

describe("Timer", () => {
  it.live("4.9 cancelling one of several timers that start together does not affect the others", () =>
    Effect.gen(function* () {
      const call = yield* callOf(look)
      for (const cancelled of [0, 1, 2]) {
        const fired: Array<number> = []
        const cancels = [0, 1, 2].map((index) => Timer.after(call, 1, () => fired.push(index)))
        cancels[cancelled]?.()
        // this timer is started with the others, and is due after them
        yield* Effect.promise(() => new Promise<void>((done) => Timer.after(call, 5, done)))
        assert.deepStrictEqual(
          fired,
          [0, 1, 2].filter((index) => index !== cancelled)
        )
      }
    })
  )
})
