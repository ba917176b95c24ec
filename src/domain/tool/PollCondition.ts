/**
 * A declarative condition for the end of a poll, such as `{ path: "status", in: ["done", "failed"] }`.
 *
 * **Details**
 *
 * - The path is dotted: `job.status`, `steps.0.state`. A number selects an item of a list.
 * - A text is read as JSON. A text that is not JSON does not end a poll, nor does a result without the path.
 */
import * as JsonText from "#domain/json/JsonText"
import * as Result from "effect/Result"

/** A value of the field that ends a poll. */
type PollValue = string | number | boolean | null

/** Ends a poll once the field at `path` has one of the values `in`. */
export interface PollCondition {
  /** The dotted path of the field in the result. */
  readonly path: string
  /** The values that end the poll. Texts are compared exactly. */
  readonly in: ReadonlyArray<PollValue>
}

const isValue = (value: unknown): value is PollValue =>
  value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** Throws a RangeError that names the tool and the setting if a condition is not valid. */
export const check = (tool: string, { in: values, path }: PollCondition): void => {
  if (typeof path !== "string" || path.split(".").includes("")) {
    throw new RangeError(`${tool}: \`poll.until.path\` must be a dotted path, such as "job.status".`)
  }
  if (!Array.isArray(values) || values.length === 0 || !values.every(isValue)) {
    throw new RangeError(`${tool}: \`poll.until.in\` must be a list of values, such as ["done", "failed"].`)
  }
}

/** Returns true if a result meets the condition. */
export const isMet = ({ in: values, path }: PollCondition, result: unknown): boolean => {
  let value = typeof result === "string" ? parsed(result) : result
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return false
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return values.some((each) => each === value)
}

const parsed = (text: string): unknown => Result.getOrUndefined(JsonText.parse(text, JsonText.resultLimits))
