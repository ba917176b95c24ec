/**
 * Checks the names and kinds of policy fields, which the compiler cannot check for untyped programs: a misspelled field
 * would otherwise be ignored.
 */
import * as NearestName from "#domain/text/NearestName"
import type { LimitsInput, LoopInput, PolicyInput, RetryInput } from "./PolicyInput.ts"
import { cut } from "#domain/text/Cut"

/** The values that a field accepts: some texts, `true` and `false`, or an object with some fields. */
interface Kind {
  readonly texts?: ReadonlyArray<string>
  readonly isFlag?: true
  readonly fields?: ReadonlyArray<string>
  /** True for a field that `false` disables. */
  readonly mayBeFalse?: true
}

/** Returns the kind of an object with exactly these fields. */
const fieldsOf = <A extends object | undefined>(names: Readonly<Record<keyof NonNullable<A>, true>>): Kind => ({
  fields: Object.keys(names)
})

/** The fields whose values are not single numbers or times. */
const kinds: Readonly<Record<string, Kind>> = {
  retry: fieldsOf<RetryInput>({ attempts: true, base: true, cap: true, jitter: true }),
  circuit: { ...fieldsOf<Exclude<PolicyInput["circuit"], false>>({ failures: true, openFor: true }), mayBeFalse: true },
  limits: fieldsOf<LimitsInput>({
    argumentBytes: true,
    argumentDepth: true,
    resultBytes: true,
    resultDepth: true,
    shownBytes: true
  }),
  loop: fieldsOf<LoopInput>({ identical: true, cycles: true, sameFailure: true, noProgress: true, repeats: true }),
  enforce: { texts: ["enforce", "advise"] },
  repeats: { texts: ["once", "allowed"] },
  critical: { isFlag: true },
  "retry.jitter": { texts: ["equal", "full", "decorrelated", "none"] }
}

/**
 * Throws a RangeError, which names the tool, the field and the remedy, unless the input is an object, has only known
 * fields, and each field has a value of its kind.
 */
export const check = (tool: string, input: unknown, known: ReadonlyArray<string>): void => {
  if (!isObject(input)) {
    throw new RangeError(`${tool}: a policy must be an object, got ${shown(input)}; write { timeout: "2 seconds" }.`)
  }
  checkNames(tool, "", input, known)
  checkKinds(tool, "", input)
}

/** Checks the values of fields, whose names are known, in the same way as `check`. */
export const checkKinds = (tool: string, prefix: string, input: object): void => {
  for (const [name, value] of Object.entries(input)) {
    const kind = kinds[prefix + name]
    if (kind === undefined || value === undefined) continue
    const setting = prefix + name
    if (kind.texts !== undefined && !kind.texts.includes(value as string)) {
      throw refused(tool, setting, value, alternatives(kind.texts))
    }
    if (kind.isFlag === true && typeof value !== "boolean") throw refused(tool, setting, value, "true or false")
    if (kind.fields === undefined || (kind.mayBeFalse === true && value === false)) continue
    if (!isObject(value)) {
      const fields = kind.fields.map((field) => `\`${field}\``).join(", ")
      const orFalse = kind.mayBeFalse === true ? ", or false" : ""
      throw refused(tool, setting, value, `an object with ${fields}${orFalse}`)
    }
    checkNames(tool, `${setting}.`, value, kind.fields)
    checkKinds(tool, `${setting}.`, value)
  }
}

/** Throws a RangeError if a field has an unknown name. */
export const checkNames = (tool: string, prefix: string, input: object, known: ReadonlyArray<string>): void => {
  const unknown = Object.keys(input).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const [near] = NearestName.nearest(unknown, known)
  const remedy =
    near === undefined
      ? `the fields are ${known.map((name) => prefix + name).join(", ")}.`
      : `did you mean \`${prefix}${near}\`?`
  throw new RangeError(`${tool}: \`${prefix}${unknown}\` is not a field here; ${remedy}`)
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const refused = (tool: string, setting: string, value: unknown, allowed: string): RangeError =>
  new RangeError(`${tool}: \`${setting}\` is ${shown(value)}; write ${allowed}.`)

/** Returns the texts in quotes: `"a", "b" or "c"`. */
const alternatives = (texts: ReadonlyArray<string>): string => {
  const quoted = texts.map((text) => JSON.stringify(text))
  return `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`
}

const shown = (value: unknown): string => {
  try {
    return cut(JSON.stringify(value) ?? String(value), 40)
  } catch {
    return typeof value
  }
}
