/**
 * Writes an account as text and reads it, for stores that keep one row per call key.
 *
 * There are two texts. `state` is small, and stores compare it before they write. `result` is a held success, which a
 * store can drop separately. A success is written only if the pipeline has added its JSON text (`json` of `Outcome`).
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { SideEffect } from "#domain/failure/Failure"
import type * as Account from "./Account.ts"
import type { Outcome } from "#domain/call/Outcome"
import * as OutcomeText from "#domain/call/OutcomeText"

/** An account as text. */
export interface AccountText {
  readonly state: string
  readonly result: string | undefined
}

const State = Schema.fromJsonString(
  Schema.Struct({
    spent: Schema.Int,
    running: Schema.Int,
    // absent in rows of earlier versions, which did not return units
    returning: Schema.optionalKey(Schema.Int),
    readyAt: Schema.optionalKey(Schema.Finite),
    digest: Schema.optionalKey(Schema.String),
    isAnswered: Schema.Boolean,
    // absent in rows of earlier versions: the effect is then unknown
    answeredEffect: Schema.optionalKey(SideEffect),
    failure: Schema.optionalKey(Schema.String)
  })
)

const decode = Schema.decodeUnknownResult(State)

const isWritable = (outcome: Outcome): boolean =>
  outcome._tag === "Success" && (outcome.isEncoded === true || outcome.json !== undefined)

const textOf = (outcome: Outcome): string => OutcomeText.write(outcome, (value) => value)

/** Writes an account. The id of the write makes each state unique, so that the writer recognises its own. */
export const write = (
  { answeredEffect, digest, isAnswered, last, readyAt, returning, running, spent }: Account.Account,
  writeId: string
): AccountText => {
  const failure = last?._tag === "Failure" ? textOf(last) : undefined
  return {
    state: JSON.stringify({ spent, running, returning, readyAt, digest, isAnswered, answeredEffect, failure, writeId }),
    result: last !== undefined && isWritable(last) ? textOf(last) : undefined
  }
}

/** Reads an account. Returns `undefined` if the texts are not an account. */
export const read = ({ result, state }: AccountText): Account.Account | undefined => {
  const stored = decode(state)
  if (Result.isFailure(stored)) return undefined
  const { digest, failure, readyAt, returning = 0, ...counts } = stored.success
  const text = failure ?? result
  const last = text === undefined ? undefined : OutcomeText.read(text)
  return text !== undefined && last === undefined ? undefined : { ...counts, returning, readyAt, digest, last }
}
