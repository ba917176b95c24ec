/**
 * Checks that secrets are `Redacted`, because callers in plain JavaScript can pass any value. No message contains the
 * secret.
 */
import * as Redacted from "effect/Redacted"

/** Returns the reason why an option is not a `Redacted` text, with the remedy; `undefined` for a `Redacted` text. */
export const fault = (option: string, value: unknown): string | undefined =>
  Redacted.isRedacted(value) && typeof Redacted.value(value) === "string"
    ? undefined
    : `\`${option}\` is not a Redacted text: pass \`Redacted.make(text)\`.`

/** Returns the text of a secret. Throws a RangeError if `value` is not a `Redacted` text. */
export const textOf = (option: string, value: Redacted.Redacted): string => {
  const found = fault(option, value)
  if (found !== undefined) throw new RangeError(found)
  return Redacted.value(value)
}
