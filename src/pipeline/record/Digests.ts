/**
 * [15.1] The digests of a call's key and result, for its record: worked out when they are first read, which for most
 * calls is never.
 *
 * A value that is small is held until then; of one that is not, the digest is taken at once, so that a log of some
 * hundred records never holds their results.
 */
import * as CallKey from "#domain/call/CallKey"
import * as JsonWeight from "#domain/json/JsonWeight"
import { type Outcome, success } from "#domain/call/Outcome"
import type { Call } from "#pipeline/call/Call"
import * as ResultText from "./ResultText.ts"

/** Most characters of JSON, by estimate, of a value that is held. */
const small = 16_384

export type Sha256 = (text: string) => string

/** The digest of a call's key. */
export const ofKey = ({ input, name, trace, traceId }: Call, sha256: Sha256): (() => string) => {
  const { arguments: args, key } = trace
  const digest = once(() => sha256(textOf(key ?? (() => CallKey.of(name, input)), traceId)))
  if (!isSmall(key === undefined ? input : args)) digest()
  return digest
}

/** The digest of a result, or of the data of a partial one; undefined where the call came to neither. */
export const ofResult = ({ tool, traceId }: Call, outcome: Outcome, sha256: Sha256): (() => string) | undefined => {
  const value = resultOf(outcome)
  if (value === none) return undefined
  const { bytes, digest: known, parts } = outcome
  if (known !== undefined) return once(() => whole(known, sha256))
  const digest = once(() => whole(ResultText.written(tool, success(value, parts), sha256, traceId).digest, sha256))
  if (parts !== undefined || (bytes === undefined ? !isSmall(value) : bytes > small)) digest()
  return digest
}

const none = Symbol("no result")

const resultOf = (outcome: Outcome): unknown => {
  if (outcome._tag === "Success") return outcome.value
  return outcome.failure._tag === "PartialData" ? outcome.failure.data : none
}

/** The text whose digest it is; one that cannot be written equals nothing. */
const textOf = (key: () => string, unique: string): string => {
  try {
    return key()
  } catch {
    return unique
  }
}

/** Stages compare a short result by its text, a longer one by its digest. */
const whole = (digest: string, sha256: Sha256): string => (/^[0-9a-f]{64}$/u.test(digest) ? digest : sha256(digest))

/** Works something out when first asked, and lets go of what it was worked out of. */
const once = (make: () => string): (() => string) => {
  let pending: (() => string) | undefined = make
  let made = ""
  return () => {
    if (pending !== undefined) {
      made = pending()
      pending = undefined
    }
    return made
  }
}

const isSmall = (value: unknown): boolean => {
  try {
    return JsonWeight.estimate(value, small) <= small
  } catch {
    return false
  }
}
