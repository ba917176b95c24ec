/**
 * Provokes the codes of the guard, except those in `unprovoked`, and checks that record, span, metric, envelope and typed
 * failure agree on class and code.
 */
import { errorClass } from "#domain/envelope/EnvelopeError"
import type { Failure, FailureTag } from "#domain/failure/Failure"
import { codes, type FailureCode } from "#domain/failure/FailureCode"
import * as CallLogMemory from "#layers/CallLogMemory"
import { CallLog } from "#services/CallLog"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Metric, Schema, Tracer } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { type Provocation, provocations, unprovoked } from "./provocations.ts"
import { ask, complete, start, within } from "./support.ts"

const callId = "provoked"

/** Codes that keep the class of an earlier failure of the call. */
const inherited: ReadonlySet<string> = new Set(["retry_budget_exceeded"])

const provoke = ({ before, calls, isConcurrent, made, name, services }: Provocation) => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const { toolName } = made.tool
  const last = calls.length - 1
  const asked = (index: number) =>
    ask([made.tool], index === last ? (name ?? toolName) : toolName, calls[index], {
      callId: index === last ? callId : `call ${index}`
    })
  const each = Effect.gen(function* () {
    if (before !== undefined) yield* before
    for (let index = 0; index < last; index++) yield* isConcurrent === true ? start(asked(index)) : asked(index)
    return yield* complete(asked(last))
  })
  return Effect.gen(function* () {
    const answer = yield* each
    const metrics = yield* PrometheusMetrics.format()
    const records = yield* (yield* CallLog).records
    const span = spans.find(({ attributes }) => attributes.get("gen_ai.tool.call.id") === callId)
    return { answer, metrics, span, record: records.find((record) => record.callId === callId) }
  }).pipe(
    Effect.provideService(Tracer.Tracer, tracer),
    Effect.provideService(Metric.MetricRegistry, new Map()),
    within(
      [made.layer],
      Guard.layerMemoryWith(services === undefined ? CallLogMemory.layer : Layer.merge(CallLogMemory.layer, services))
    )
  )
}

describe("one failure has one name", () => {
  for (const [code, provocation] of Object.entries(provocations)) {
    it.effect(`2.5, 15.1, 15.2 ${code}: record, span, metric, envelope and typed failure name class and code`, () => {
      const given = provocation()
      return Effect.gen(function* () {
        const { answer, metrics, record, span } = yield* provoke(given)
        const { envelope, outcome } = answer
        assert.strictEqual(outcome._tag, "Failure")
        if (outcome._tag !== "Failure") return
        const { failure } = outcome
        const tag: FailureTag = failure._tag
        assert.strictEqual(failure.code, code)
        if (!inherited.has(code)) assert.strictEqual(tag, codes[code as FailureCode].tag)
        assert.include(failure.message, failure.code)

        const { failureSchema } = given.made.tool
        const decoded = Schema.decodeUnknownSync(failureSchema)(
          Schema.encodeUnknownSync(failureSchema)(failure)
        ) as Failure
        assert.deepStrictEqual([decoded._tag, decoded.code], [tag, code])

        assert.deepStrictEqual([envelope.error.error_class, envelope.error.code], [errorClass(tag), code])
        assert.strictEqual(envelope.error.trace_id, failure.traceId)

        assert.strictEqual(record?.outcome._tag, "Failure")
        if (record?.outcome._tag !== "Failure") return
        const { failure: recorded } = record.outcome
        assert.deepStrictEqual([recorded._tag, recorded.code, record.sideEffect], [tag, code, failure.sideEffect])

        assert.strictEqual(span?.attributes.get("error.type"), tag)
        assert.strictEqual(span?.attributes.get("effect_toolguard.code"), code)
        assert.strictEqual(span?.status._tag, "Ended")
        if (span?.status._tag !== "Ended") return
        assert.deepStrictEqual(span.status.exit, Exit.fail(recorded))
        // Effect's exporter writes the status Error and the exception event from these errors
        const events = Exit.isFailure(span.status.exit) ? Cause.prettyErrors(span.status.exit.cause) : []
        assert.strictEqual(events[0]?.name, `effect-toolguard/${tag}`)
        assert.include(events[0]?.message ?? "", `(${code})`)

        const name = code === "unknown_tool" ? code : given.made.tool.toolName
        const failures = metrics
          .split("\n")
          .filter((line) => line.startsWith(`effect_toolguard_failures{gen_ai_tool_name="${name}"`))
        assert.isTrue(
          failures.some((line) => line.includes(`error_type="${tag}"`)),
          failures.join("\n")
        )
      })
    })
  }

  it("3 every code of the guard is provoked, or has a reason why it cannot be", () => {
    const named = [...Object.keys(provocations), ...Object.keys(unprovoked)].sort()
    assert.deepStrictEqual(named, Object.keys(codes).sort())
  })
})
