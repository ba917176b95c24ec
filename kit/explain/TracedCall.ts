/** Explains a live call, which its trace id names, by its record and the earlier records of its turn. */
import type { CallRecord } from "effect-toolguard/internal/domain/call/CallRecord"
import { key as turnKey } from "effect-toolguard/internal/domain/turn/Turn"
import { explain as explanationOf, type Explanation } from "./Explain.ts"

/** The maximum length of the arguments in an explanation. */
const maxLength = 600

/**
 * Explains the call of a trace. Returns undefined if no record has the trace id. Records of other tenants and principals
 * are not of its turn, even if their turns have the same id.
 */
export const explain = (trace: string, records: ReadonlyArray<CallRecord>): Explanation | undefined => {
  const index = records.findIndex(({ traceId }) => traceId === trace)
  const record = records[index]
  if (record === undefined) return undefined
  const turn = turnKey(record)
  const earlier = records
    .slice(0, index)
    .filter((other) => other.keyDigest === record.keyDigest && turnKey(other) === turn)
  return explanationOf(record, {
    name: trace,
    arguments: (record.argumentsText ?? JSON.stringify(record.arguments) ?? "(not stored)").slice(0, maxLength),
    issues: [],
    earlier: earlier.map(({ outcome, traceId }) => ({
      call: traceId,
      outcome: outcome._tag === "Success" ? "Success" : `${outcome.failure._tag} ${outcome.failure.code}`
    })),
    isSuspect: false
  })
}
