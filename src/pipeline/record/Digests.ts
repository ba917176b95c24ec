/**
 * [15.1] Computes the digests of a call's key and result for its record, on first read, because most digests are never
 * read.
 *
 * A small value is held until then. The digest of a large value is computed immediately, so that a log of some hundred
 * records does not hold their results.
 */
import * as CallKey from "#domain/call/CallKey"
import type { Steps } from "#domain/json/Steps"
import * as JsonWeight from "#domain/json/JsonWeight"
import { type Outcome, success } from "#domain/call/Outcome"
import type { Call } from "#pipeline/call/Call"
import * as ResultText from "./ResultText.ts"

/** The largest value that is held, in characters of JSON, estimated. */
const smallBytes = 16_384

export type Sha256 = (text: string) => string

/** Returns a function that computes the digest of a call's key. */
export const ofKey = ({ input, name, trace, traceId }: Call, sha256: Sha256): (() => string) => {
  const { arguments: args, key, received } = trace
  if (received !== undefined) return () => received.named
  const digest = once(() => sha256(textOf(key ?? (() => CallKey.of(name, input)), traceId)))
  if (!isSmall(key === undefined ? input : args)) digest()
  return digest
}

/** Computes, in steps, the digests of large arguments that were refused before they had a key. */
export function* ofReceived({ input, name, trace }: Call, sha256: Sha256): Steps<void> {
  const canonical = yield* CallKey.canonicalInSteps(input)
  yield
  const alone = sha256(canonical)
  yield
  trace.received = { alone, named: sha256(`${name} ${canonical}`) }
}

/** Returns a function that computes the digest of a result, whole or partial; undefined if the call has no result. */
export const ofResult = ({ tool, traceId }: Call, outcome: Outcome, sha256: Sha256): (() => string) | undefined => {
  const value = resultOf(outcome)
  if (value === none) return undefined
  const { bytes, digest: known, parts } = outcome
  if (known !== undefined) return ofText(known, sha256)
  const digest = once(() => whole(ResultText.written(tool, success(value, parts), sha256, traceId).digest, sha256))
  if (parts !== undefined || (bytes === undefined ? !isSmall(value) : bytes > smallBytes)) digest()
  return digest
}

/** A function of its own, because closures of one function share a context, which would hold the result. */
const ofText = (text: string, sha256: Sha256): (() => string) => once(() => whole(text, sha256))

const none = Symbol("no result")

const resultOf = (outcome: Outcome): unknown => {
  if (outcome._tag === "Success") return outcome.value
  return outcome.failure._tag === "PartialData" ? outcome.failure.data : none
}

/** Returns the key's text. A key that cannot be written is replaced by `unique`, so that it equals no other key. */
const textOf = (key: () => string, unique: string): string => {
  try {
    return key()
  } catch {
    return unique
  }
}

/** Returns the digest of a compared text. Stages compare a short result by its text, and a longer result by its digest. */
const whole = (digest: string, sha256: Sha256): string => (/^[0-9a-f]{64}$/u.test(digest) ? digest : sha256(digest))

/** Returns a function that computes a text on first use, and then releases the input. */
const once = (make: () => string): (() => string) => {
  let pending: (() => string) | undefined = make
  let computed = ""
  return () => {
    if (pending !== undefined) {
      computed = pending()
      pending = undefined
    }
    return computed
  }
}

const isSmall = (value: unknown): boolean => {
  try {
    return JsonWeight.estimate(value, smallBytes) <= smallBytes
  } catch {
    return false
  }
}
