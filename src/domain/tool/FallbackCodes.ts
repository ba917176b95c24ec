/**
 * Defines the codes that a fallback may name in `on` [4.12].
 *
 * No fallback runs after the codes in `barred`: a person or a rule has decided, the effect is certain or unknown, the
 * same action is running, or the call ends before the fallbacks are reached.
 */
import { codes, type FailureCode } from "#domain/failure/FailureCode"
import * as NearestName from "#domain/text/NearestName"
import { cut } from "#domain/text/Cut"

const barred = {
  unauthorized: "access was denied",
  requires_human_approval: "a person has to decide",
  answered_by_person: "a person has answered instead of letting the call run",
  approval_denied: "a person has denied the call",
  approval_expired: "a person has not decided in time",
  no_person: "a person has to decide",
  review_requested: "a person has to decide",
  outcome_unknown: "the action may have been done",
  loop_detected: "the loop detector has stopped the call",
  done_unreadable: "the action was done",
  done_without_result: "the action was done",
  in_progress: "the same action is running",
  store_unavailable: "it is not known whether the action was started",
  unknown_tool: "such a call ends before its fallbacks",
  invalid_json: "such a call ends before its fallbacks",
  truncated_arguments: "such a call ends before its fallbacks",
  arguments_too_large: "such a call ends before its fallbacks",
  invalid_arguments: "such a call ends before its fallbacks",
  unseen_id: "such a call ends before its fallbacks"
} as const satisfies Partial<Record<FailureCode, string>>

/** A code of the guard after which a fallback may run. */
export type FallbackCode = Exclude<FailureCode, keyof typeof barred>

/**
 * The codes after which only a fallback with `on` runs: the owner of the tool decides whether another tool may access
 * the same thing.
 */
const namedOnly: ReadonlySet<string> = new Set<FailureCode>(["permission_denied"])

/** True if a fallback runs after a code only if its `on` names the code. */
export const isNamedOnly = (code: string): boolean => namedOnly.has(code)

/** True if no fallback runs after a failure with this code. */
export const isBarred = (code: string): boolean => Object.hasOwn(barred, code)

/** The codes of the checks of a definition. */
interface CheckCodes {
  /** The known codes of the checks. */
  readonly known: ReadonlyArray<string>
  /** True if the checks may have other codes too. */
  readonly mayHaveOthers: boolean
}

/**
 * Returns the fault of a fallback's codes, and the remedy; undefined if the codes are valid. The code of a check may be
 * any text, so an unknown code of a tool with custom checks is refused only if a known code is near.
 */
export const faultOf = (on: unknown, checks: CheckCodes): string | undefined => {
  // untyped programs can pass any value
  if (!Array.isArray(on)) return 'is not a list; write `on: ["not_found"]`.'
  if (on.length === 0) return "is empty, so the fallback would never run; name codes, or remove `on`."
  for (const code of on as ReadonlyArray<unknown>) {
    if (typeof code !== "string") return `has ${shown(code)}, which is not a code; write \`on: ["not_found"]\`.`
    if (Object.hasOwn(barred, code)) {
      return `names "${code}", but no fallback runs after that code, because ${barred[code as keyof typeof barred]}. Remove the code.`
    }
    if (Object.hasOwn(codes, code) || checks.known.includes(code)) continue
    const [near] = NearestName.nearest(code, [...Object.keys(codes).filter((name) => !isBarred(name)), ...checks.known])
    if (near !== undefined) return `names "${cut(code, 64)}", which is not a code; did you mean "${near}"?`
    if (!checks.mayHaveOthers) {
      return `names "${cut(code, 64)}", which is not a code; docs/failures.md lists the codes.`
    }
  }
  return undefined
}

const shown = (value: unknown): string => {
  try {
    return cut(JSON.stringify(value) ?? String(value), 40)
  } catch {
    return typeof value
  }
}
