/**
 * The policy of a tool with every default filled in [2.9].
 *
 * An invalid or contradictory setting throws a `RangeError` that names the tool, the setting and the remedy [2.12].
 */
import * as JsonText from "#domain/json/JsonText"
import * as Circuit from "./Circuit.ts"
import * as FieldKind from "./FieldKind.ts"
import * as LoopThresholds from "./LoopThresholds.ts"
import * as Contradiction from "./Contradiction.ts"
import type { CircuitInput, Enforcement, LimitsInput, LoopInput, PolicyInput, Repeats } from "./PolicyInput.ts"
import * as PolicyShape from "./PolicyShape.ts"
import * as PolicySources from "./PolicySources.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import * as Setting from "./Setting.ts"
import * as TimeLimits from "./TimeLimits.ts"

/** The policy of a tool. Times are in milliseconds. */
export interface EffectivePolicy {
  readonly attemptMillis: number
  readonly deadlineMillis: number
  readonly retry: RetryPolicy.RetryPolicy
  readonly budget: number
  readonly concurrency: number
  /** Undefined: the circuit is disabled. */
  readonly circuit: Circuit.CircuitPolicy | undefined
  readonly enforce: Enforcement
  /**
   * Has no effect on a read. Undefined only if no source sets it and there is no default, as for a recorded tool of
   * unknown access; repeats are then limited like those of a read.
   */
  readonly repeats: Repeats | undefined
  readonly critical: boolean
  readonly loop: LoopThresholds.LoopThresholds
  readonly argumentLimits: JsonText.Limits
  readonly resultLimits: JsonText.Limits
  /** Undefined: the policy `ResultLimit` applies. */
  readonly shownBytes: number | undefined
}

/**
 * Fills in the defaults of one source. Throws a RangeError for a count below 1, a time that is not longer than zero, and
 * settings that contradict each other. `place` says where they are set, for the message.
 */
export const resolve = (
  tool: string,
  input: PolicyInput,
  isRepeatable: boolean,
  place: string = PolicySources.places.tool
): EffectivePolicy => {
  const policy = fill(tool, input, isRepeatable)
  Contradiction.check(tool, place, input, isRepeatable)
  return policy
}

/** Returns the policy that results from all sources. Throws a RangeError like `resolve`, for each of the sources. */
export const ofSources = (
  tool: string,
  sources: PolicySources.PolicySources,
  isRepeatable: boolean
): EffectivePolicy => {
  const policy = fill(tool, PolicySources.merged(sources, isRepeatable), isRepeatable)
  for (const source of PolicySources.order) {
    const input = sources[source]
    // a nearer source can hide an invalid value, which the tool would use without that source
    if (input !== undefined) resolve(tool, input, isRepeatable, PolicySources.places[source])
  }
  return policy
}

/**
 * Fills in the defaults. An unset budget of a repeatable tool is at least its attempts, and unset attempts are at most
 * its budget. Any other write is repeated only after attempts that did nothing; these repeats need no budget [4.7].
 */
export const fill = (tool: string, input: PolicyInput, isRepeatable: boolean): EffectivePolicy => {
  FieldKind.checkValues(tool, "", input, PolicyShape.kinds)
  const stated = input.budget === undefined ? undefined : Setting.count(tool, "budget", input.budget)
  const retry = resolveRetry(tool, input, isRepeatable ? stated : undefined)
  return {
    ...TimeLimits.of(tool, TimeLimits.stated(tool, input), retry),
    retry,
    budget: stated ?? (isRepeatable ? Math.max(minBudget, retry.attempts) : 1),
    concurrency: Setting.count(tool, "concurrency", input.concurrency ?? 16),
    circuit: input.circuit === false ? undefined : resolveCircuit(tool, input.circuit ?? {}),
    // a copy, because the caller may change the object
    enforce: typeof input.enforce === "object" ? { share: input.enforce.share } : (input.enforce ?? "enforce"),
    repeats: input.repeats,
    critical: input.critical ?? false,
    loop: resolveLoop(tool, input.loop ?? {}),
    ...resolveLimits(tool, input.limits ?? {})
  }
}

/** The minimum default budget of a repeatable tool. */
const minBudget = 3

/** Returns a text that is the same for two policies only if they are equal. */
export const textOf = (policy: EffectivePolicy): string =>
  JSON.stringify([
    policy.attemptMillis,
    policy.deadlineMillis,
    policy.retry,
    policy.budget,
    policy.concurrency,
    policy.circuit,
    policy.enforce,
    policy.repeats,
    policy.critical,
    policy.loop,
    policy.argumentLimits,
    policy.resultLimits,
    policy.shownBytes
  ])

/** The maximum depth that the parser of JSON can check, in levels. */
const maxJsonDepth = 1_000

const resolveLoop = (
  tool: string,
  { cycles, identical, noProgress, repeats, sameFailure }: LoopInput
): LoopThresholds.LoopThresholds => {
  const { defaults, maxCycles } = LoopThresholds
  return {
    identical: identical === undefined ? defaults.identical : Setting.between(tool, "loop.identical", identical, 2),
    cycles: Setting.between(tool, "loop.cycles", cycles ?? defaults.cycles, 2, maxCycles),
    sameFailure: Setting.between(tool, "loop.sameFailure", sameFailure ?? defaults.sameFailure, 2),
    noProgress: Setting.between(tool, "loop.noProgress", noProgress ?? defaults.noProgress, 2),
    repeats: Setting.count(tool, "loop.repeats", repeats ?? defaults.repeats)
  }
}

const resolveLimits = (
  tool: string,
  { argumentBytes, argumentDepth, resultBytes, resultDepth, shownBytes }: LimitsInput
): Pick<EffectivePolicy, "argumentLimits" | "resultLimits" | "shownBytes"> => ({
  argumentLimits: {
    maxBytes: Setting.count(tool, "limits.argumentBytes", argumentBytes ?? JsonText.argumentLimits.maxBytes),
    maxDepth: Setting.between(
      tool,
      "limits.argumentDepth",
      argumentDepth ?? JsonText.argumentLimits.maxDepth,
      1,
      maxJsonDepth
    )
  },
  resultLimits: {
    maxBytes: Setting.count(tool, "limits.resultBytes", resultBytes ?? JsonText.resultLimits.maxBytes),
    maxDepth: Setting.between(
      tool,
      "limits.resultDepth",
      resultDepth ?? JsonText.resultLimits.maxDepth,
      1,
      maxJsonDepth
    )
  },
  shownBytes: shownBytes === undefined ? undefined : Setting.count(tool, "limits.shownBytes", shownBytes)
})

/** Fills in the circuit. An unset window is at least the minimum, an unset minimum at most the window. */
const resolveCircuit = (tool: string, input: CircuitInput): Circuit.CircuitPolicy => {
  const { defaults } = Circuit
  const open = Setting.optionalMillis(tool, "circuit.open", input.open)
  const cap = Setting.optionalMillis(tool, "circuit.cap", input.cap)
  const openMillis = open ?? Math.min(defaults.openMillis, cap ?? Infinity)
  const capMillis = cap ?? Math.max(defaults.capMillis, openMillis)
  if (capMillis < openMillis) {
    throw Setting.tooShort(
      tool,
      ["circuit.cap", capMillis],
      ["circuit.open", openMillis],
      "so the first open time would exceed the maximum",
      "set a longer `cap` or a shorter `open`"
    )
  }
  const least = input.minimum === undefined ? undefined : Setting.count(tool, "circuit.minimum", input.minimum)
  const most = input.window === undefined ? undefined : Setting.count(tool, "circuit.window", input.window)
  const minimum = least ?? Math.min(defaults.minimum, most ?? Infinity)
  const window = most ?? Math.max(defaults.window, minimum)
  if (minimum > window) {
    throw new RangeError(
      `${tool}: \`circuit.minimum\` is ${minimum}, above \`circuit.window\`, which is ${window}, so the circuit would never open; set a larger \`window\` or a smaller \`minimum\`.`
    )
  }
  return {
    share: Setting.share(tool, "circuit.share", input.share ?? defaults.share),
    window,
    minimum,
    openMillis,
    capMillis
  }
}

/**
 * Fills in the retries. An unset base is at most the cap, an unset cap at least the base, and unset attempts are at most
 * `most`.
 */
const resolveRetry = (
  tool: string,
  { retry: input = {} }: PolicyInput,
  most: number | undefined
): RetryPolicy.RetryPolicy => {
  const { defaults } = RetryPolicy
  const base = Setting.optionalMillis(tool, "retry.base", input.base)
  const cap = Setting.optionalMillis(tool, "retry.cap", input.cap)
  const baseMillis = base ?? Math.min(defaults.baseMillis, cap ?? Infinity)
  const capMillis = cap ?? Math.max(defaults.capMillis, baseMillis)
  if (capMillis < baseMillis) {
    throw Setting.tooShort(
      tool,
      ["retry.cap", capMillis],
      ["retry.base", baseMillis],
      "so the first delay would exceed the maximum",
      "set a longer `cap` or a shorter `base`"
    )
  }
  return {
    attempts: Setting.count(tool, "retry.attempts", input.attempts ?? Math.min(defaults.attempts, most ?? Infinity)),
    baseMillis,
    capMillis,
    jitter: input.jitter ?? defaults.jitter
  }
}
