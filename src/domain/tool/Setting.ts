/**
 * Reads the counts and times of a policy as users write them.
 *
 * An invalid value throws a `RangeError` that names the tool, the setting, the value and the remedy.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { shown } from "./FieldKind.ts"

/** The longest wait, in milliseconds: 24 days. A platform timer cannot wait much longer. */
export const longestMillis = 24 * 86_400_000

/** Returns a count. Throws a RangeError if it is not a whole number of at least 1. */
export const count = (tool: string, setting: string, value: number): number => between(tool, setting, value, 1)

/** Returns a time that may be infinite. Throws a RangeError if it is not a duration, or not longer than zero. */
export const lifetime = (tool: string, setting: string, value: Duration.Input): Duration.Duration => {
  const duration = Duration.fromInput(value)
  if (Option.isNone(duration)) throw refused(tool, setting, "must be a duration", value)
  // Effect reads NaN as zero.
  if (!(Duration.toMillis(duration.value) > 0)) throw refused(tool, setting, "must be longer than zero", value)
  return duration.value
}

/**
 * Returns a wait in milliseconds. Throws a RangeError if it is not longer than zero, or longer than `longestMillis`.
 */
export const millis = (tool: string, setting: string, value: Duration.Input): number => {
  const wait = Duration.toMillis(lifetime(tool, setting, value))
  if (wait > longestMillis) throw refused(tool, setting, "must be at most 24 days", value)
  return wait
}

/** Does the same as `millis`, for a time that may be unset. */
export const optionalMillis = (tool: string, setting: string, value: Duration.Input | undefined): number | undefined =>
  value === undefined ? undefined : millis(tool, setting, value)

/** Returns a count. Throws a RangeError if it is not a whole number from `least` to `most`. */
export const between = (tool: string, setting: string, value: number, least: number, most = Infinity): number => {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`
  throw new RangeError(`${tool}: \`${setting}\` must be a whole number ${range}, got ${shown(value)}.`)
}

/** Returns a share. Throws a RangeError if it is not above 0 and at most 1. */
export const share = (tool: string, setting: string, value: number): number => {
  if (typeof value === "number" && value > 0 && value <= 1) return value
  throw new RangeError(
    `${tool}: \`${setting}\` must be above 0 and at most 1, got ${shown(value)}; write 0.5 for half.`
  )
}

/** The name of a time setting, and its value in milliseconds. */
type Time = readonly [setting: string, millis: number]

/** Creates the error for a time that is shorter than another time allows. */
export const tooShort = (
  tool: string,
  [setting, millis]: Time,
  [other, longer]: Time,
  consequence: string,
  remedy: string
): RangeError =>
  new RangeError(
    `${tool}: \`${setting}\` is ${words(millis)}, below \`${other}\`, which is ${words(longer)}, ${consequence}; ${remedy}.`
  )

/** Returns a time for a message. */
export const words = (millis: number): string => Duration.format(Duration.millis(millis))

const refused = (tool: string, setting: string, rule: string, value: unknown): RangeError =>
  new RangeError(`${tool}: \`${setting}\` ${rule}, got ${shown(value)}; write a time such as "30 seconds".`)
