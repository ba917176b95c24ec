/** The kinds of policy fields, and the checks of policies of untyped programs. */
import { isJsonObject } from "#domain/json/JsonObject"
import * as FieldKind from "./FieldKind.ts"
import type { CircuitInput, LimitsInput, LoopInput, PolicyInput, RetryInput, SharedPolicy } from "./PolicyInput.ts"

/** The kinds of the fields of an object type. The compiler checks that no kind is missing. */
type KindsOf<A> = Readonly<Record<keyof NonNullable<A>, FieldKind.FieldKind>>

const { either, flag, fn, number, object, oneOf, time } = FieldKind

const retry: KindsOf<RetryInput> = {
  attempts: number,
  base: time,
  cap: time,
  jitter: oneOf("equal", "full", "decorrelated", "none")
}

const circuit: KindsOf<CircuitInput> = { share: number, window: number, minimum: number, open: time, cap: time }

const limits: KindsOf<LimitsInput> = {
  argumentBytes: number,
  argumentDepth: number,
  resultBytes: number,
  resultDepth: number,
  shownBytes: number
}

const loop: KindsOf<LoopInput> = {
  identical: number,
  cycles: number,
  sameFailure: number,
  noProgress: number,
  repeats: number
}

/** A share of conversations. A whole number is allowed: 0 and 1. */
const share = FieldKind.required({
  remedy: "a number from 0 to 1, such as 0.1 for a tenth",
  accepts: (value) => typeof value === "number" && value >= 0 && value <= 1
})

/** The kinds of all policy fields. */
export const kinds: KindsOf<PolicyInput> = {
  timeout: time,
  deadline: time,
  retry: object(retry),
  budget: number,
  concurrency: number,
  circuit: FieldKind.orFalse(object(circuit)),
  enforce: either(oneOf("enforce", "advise"), object({ share })),
  repeats: oneOf("once", "allowed"),
  critical: flag,
  limits: object(limits),
  loop: object(loop)
}

/** The kinds of the fields of a policy of several tools. */
const shared: KindsOf<SharedPolicy> = {
  ...kinds,
  approval: either(oneOf("auto", "inform", "confirm", "block"), fn("a function of the call")),
  idempotency: {
    remedy: `"derived", or state another mode in the definition of the tool, because "key" adds a parameter to its contract`,
    accepts: (value) => value === "derived"
  }
}

/** Returns the policy fields of a definition. */
export const fieldsOf = (definition: PolicyInput): PolicyInput =>
  Object.fromEntries(Object.entries(definition).filter(([field]) => Object.hasOwn(kinds, field)))

/**
 * Throws a RangeError unless the input is an object that has only policy fields with values of their kinds. The error
 * names the tool, the field and the remedy.
 */
export const check = (tool: string, input: unknown): void => {
  if (!isJsonObject(input)) {
    throw new RangeError(
      `${tool}: a policy must be an object, got ${FieldKind.shown(input)}; write { timeout: "2 seconds" }.`
    )
  }
  FieldKind.check(tool, "", input, shared)
}
