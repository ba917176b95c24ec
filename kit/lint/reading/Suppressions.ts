/**
 * Reads and applies suppressions, which state that a person has accepted a finding, and why.
 *
 * - In a list, `"x-toolguard-ignore": { "rule-id": "reason" }` suppresses a rule on a tool, on a schema inside the
 *   tool, or on the object that contains the list. In the list of an MCP server, `_meta["toolguard/ignore"]` on a tool
 *   works too.
 * - In the configuration, `ignore` suppresses rules by the tool's name.
 * - A suppression without a reason has no effect. A suppression that suppresses nothing is itself a finding.
 */
import { escapeRegExp } from "#kit/text/EscapeRegExp"
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { nearest } from "effect-toolguard/internal/domain/text/NearestName"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import { field, isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { FoundProblem } from "./Subject.ts"

/** One suppression of one rule. */
export interface Suppression {
  readonly rule: string
  /** Empty if the suppression has no reason. */
  readonly reason: string
  /** The place of the suppression itself. */
  readonly pointer: JsonPointer.JsonPointer
  /** Returns whether the suppression applies to a finding. */
  readonly covers: (found: FoundProblem) => boolean
}

/** A problem of a suppression. */
export interface SuppressionProblem {
  readonly rule: "suppression-reason" | "suppression-unused"
  readonly pointer: JsonPointer.JsonPointer
  readonly message: string
}

const inline = "x-toolguard-ignore"
const meta = "toolguard/ignore"

/** Reads the suppressions at a place, which apply to everything inside `scope`. */
export const at = (
  scope: JsonPointer.JsonPointer,
  reasons: unknown,
  pointer: JsonPointer.JsonPointer
): ReadonlyArray<Suppression> =>
  isJsonObject(reasons)
    ? Object.entries(reasons).map(([rule, reason]) => ({
        rule,
        reason: typeof reason === "string" ? reason.trim() : "",
        pointer: [...pointer, rule],
        covers: (found) => JsonPointer.isWithin(found.pointer, scope)
      }))
    : []

/** Returns all suppressions in a document. */
export const inDocument = (value: unknown, pointer: JsonPointer.JsonPointer = []): ReadonlyArray<Suppression> => {
  if (Array.isArray(value)) return value.flatMap((each: unknown, index) => inDocument(each, [...pointer, index]))
  if (!isJsonObject(value)) return []
  return [
    ...at(pointer, field(value, inline), [...pointer, inline]),
    ...at(pointer, field(value["_meta"], meta), [...pointer, "_meta", meta]),
    ...inner(value, pointer)
  ]
}

const inner = (value: JsonObject, pointer: JsonPointer.JsonPointer): ReadonlyArray<Suppression> =>
  Object.entries(value).flatMap(([name, each]) => (name === inline ? [] : inDocument(each, [...pointer, name])))

/** Creates a suppression by the name of a tool, in which `*` matches any characters. */
export const byName = (
  pattern: string,
  rule: string,
  reason: string,
  pointer: JsonPointer.JsonPointer
): Suppression => {
  const name = new RegExp(`^${pattern.split("*").map(escapeRegExp).join(".*")}$`, "su")
  return { rule, reason: reason.trim(), pointer, covers: ({ tool }) => name.test(tool?.name ?? "") }
}

/** Findings, divided into kept and suppressed findings. */
interface SortedFindings<F extends FoundProblem> {
  readonly kept: ReadonlyArray<F>
  readonly suppressed: ReadonlyArray<readonly [F, Suppression]>
  /** The suppressions that apply to a finding. */
  readonly used: ReadonlySet<Suppression>
}

/** Divides findings into kept and suppressed findings. */
export const sort = <F extends FoundProblem & { readonly rule: string }>(
  found: ReadonlyArray<F>,
  suppressions: ReadonlyArray<Suppression>
): SortedFindings<F> => {
  const kept: Array<F> = []
  const suppressed: Array<readonly [F, Suppression]> = []
  const used = new Set<Suppression>()
  for (const each of found) {
    const suppression = suppressions.find((one) => one.rule === each.rule && one.reason !== "" && one.covers(each))
    if (suppression === undefined) kept.push(each)
    else {
      suppressed.push([each, suppression])
      used.add(suppression)
    }
  }
  return { kept, suppressed, used }
}

/**
 * Returns the problems of suppressions. `used` are the suppressions that apply to a finding. Rules in `off` did not run.
 */
export const problemsOf = (
  suppressions: ReadonlyArray<Suppression>,
  used: ReadonlySet<Suppression>,
  known: ReadonlySet<string>,
  off: ReadonlySet<string>
): ReadonlyArray<SuppressionProblem> =>
  suppressions.flatMap((suppression): ReadonlyArray<SuppressionProblem> => {
    const { pointer, reason, rule } = suppression
    if (!known.has(rule)) {
      const [near] = nearest(rule, known)
      const advice = near === undefined ? "see toolguard lint --rules" : `nearest: ${near}`
      return [{ rule: "suppression-unused", pointer, message: `There is no rule ${cut(shown(rule), 60)}; ${advice}.` }]
    }
    if (reason === "") {
      return [
        {
          rule: "suppression-reason",
          pointer,
          message: `The suppression of ${rule} has no reason and has no effect; state why the finding is acceptable.`
        }
      ]
    }
    return used.has(suppression) || off.has(rule)
      ? []
      : [{ rule: "suppression-unused", pointer, message: `The suppression of ${rule} suppresses nothing; remove it.` }]
  })
