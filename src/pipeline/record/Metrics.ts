/**
 * [15.1] The metrics of calls. Any exporter of Effect metrics exports them.
 *
 * The metrics are in the caller's registry, one series per tool and label. Calls to unknown tools are counted under
 * `unknown_tool`, so that a model that invents names adds no series. A call that succeeds at its first attempt costs
 * two updates, about 0.1 µs.
 */
import type { CallRecord } from "#domain/call/CallRecord"
import * as CallTally from "#domain/call/CallTally"
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import { declaredBy } from "#pipeline/call/TypedFailure"
import type { ToolDefinition } from "#domain/tool/ToolDefinition"

interface ToolMetrics {
  /** Counts a call by its record. */
  readonly called: (record: CallRecord, context: Context.Context<never>) => void
  /** Counts a finding that a schema of the tool seems too strict. */
  readonly doubted: (context: Context.Context<never>) => void
  /** Counts the tokens that a preview saves the model, by its envelope. */
  readonly shown: (envelope: string, context: Context.Context<never>) => void
}

/** Upper bounds of the latency's buckets, in milliseconds. */
const boundaries = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000]

const kinds = {
  calls: "Calls of a tool by programs, by models and by the guard itself.",
  failures: "Calls that ended with a failure, by class. Pages and declared refusals are not failures.",
  pages: "Calls that ended with one page of a longer result.",
  declared_refusals: "Calls that ended with a refusal that the tool declares, by code.",
  broken_contracts:
    "Findings that a schema of a tool seems too strict: its answers violate it, or its arguments are refused.",
  not_enforced: "Failures that the guard found and did not enforce, by class. The calls continued.",
  rollout_calls: "Calls of a tool that enforces its contract in a share of conversations, by side.",
  rollout_failures: "Failures among these calls, by side.",
  retries: "Attempts after the first.",
  refusals: "Calls that the guard refused without an attempt, by code.",
  saved_calls: "Repeated calls that were answered or refused without an attempt, by reason.",
  saved_tokens: "Estimated tokens saved by showing previews of large results."
} as const

const metrics = new WeakMap<CompiledTool, ToolMetrics>()

/** Returns the metrics of a tool. */
export const of = (tool: CompiledTool): ToolMetrics => {
  const known = metrics.get(tool)
  if (known !== undefined) return known
  const created = make(tool.definition)
  metrics.set(tool, created)
  return created
}

const make = (definition: ToolDefinition): ToolMetrics => {
  const labels = { "gen_ai.tool.name": definition.name }
  const codes = new Set(declaredBy(definition).map(({ code }) => code))
  const counter = (kind: keyof typeof kinds, more: object = {}) =>
    Metric.counter(`effect_toolguard.${kind}`, {
      description: kinds[kind],
      attributes: { ...labels, ...more },
      incremental: true
    })
  /** Returns a function that finds the counter of a label's value, or creates it at its first use. */
  const counters = (kind: keyof typeof kinds, label: string) => {
    const byValue = new Map<string, Metric.Counter<number>>()
    return (value: string): Metric.Counter<number> => {
      const known = byValue.get(value)
      if (known !== undefined) return known
      const created = counter(kind, { [label]: value })
      byValue.set(value, created)
      return created
    }
  }
  const calls = counter("calls")
  const latency = Metric.histogram("effect_toolguard.call.duration", {
    description: "Milliseconds from a call to its outcome, including waits for people and between attempts.",
    attributes: { ...labels, unit: "milliseconds" },
    boundaries
  })
  const failures = counters("failures", "error.type")
  const notEnforced = counters("not_enforced", "error.type")
  const rolloutCalls = counters("rollout_calls", "effect_toolguard.enforcement")
  const rolloutFailures = counters("rollout_failures", "effect_toolguard.enforcement")
  const doubts = counter("broken_contracts")
  const pages = counter("pages")
  const declared = counters("declared_refusals", "effect_toolguard.code")
  const retries = counter("retries")
  const refusals = counters("refusals", "effect_toolguard.code")
  const saved = counters("saved_calls", "effect_toolguard.reason")
  const tokens = counter("saved_tokens")
  return {
    called: (record, context) => {
      try {
        calls.updateUnsafe(1, context)
        latency.updateUnsafe(record.durationMillis, context)
        const tally = CallTally.of(record)
        if (tally.failure !== undefined) failures(tally.failure).updateUnsafe(1, context)
        const { enforcement } = record
        if (enforcement !== undefined) {
          rolloutCalls(enforcement).updateUnsafe(1, context)
          if (tally.failure !== undefined) rolloutFailures(enforcement).updateUnsafe(1, context)
        }
        for (const failure of tally.notEnforced) notEnforced(failure).updateUnsafe(1, context)
        if (tally.isPage) pages.updateUnsafe(1, context)
        if (tally.declared !== undefined) {
          declared(codes.has(tally.declared) ? tally.declared : "other").updateUnsafe(1, context)
        }
        if (tally.retries > 0) retries.updateUnsafe(tally.retries, context)
        if (tally.refusal !== undefined) refusals(tally.refusal).updateUnsafe(1, context)
        if (tally.saving !== undefined) saved(tally.saving).updateUnsafe(1, context)
      } catch {
        // a broken registry of the host must not fail a call [15.2]
      }
    },
    doubted: (context) => {
      try {
        doubts.updateUnsafe(1, context)
      } catch {
        // a broken registry of the host must not fail a call [15.2]
      }
    },
    shown: (envelope, context) => {
      try {
        const count = CallTally.tokensSaved(envelope)
        if (count > 0) tokens.updateUnsafe(count, context)
      } catch {
        // a broken registry of the host must not fail a call [15.2]
      }
    }
  }
}
