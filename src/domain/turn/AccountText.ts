/**
 * An account as text, for the stores that keep one row a call key.
 *
 * Two texts: `state` is small and is what a store compares before it writes; `result` is a success that is held, and may
 * be let go by itself. A success is written only with its JSON text, which the pipeline puts there (`Outcome`).
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Account from "./Account.ts"
import type { Outcome } from "#domain/call/Outcome"
import * as OutcomeText from "#domain/call/OutcomeText"

export interface AccountText {
  readonly state: string
  readonly result: string | undefined
}

const State = Schema.fromJsonString(
  Schema.Struct({
    spent: Schema.Int,
    running: Schema.Int,
    digest: Schema.optionalKey(Schema.String),
    isAnswered: Schema.Boolean,
    failure: Schema.optionalKey(Schema.String)
  })
)

const decode = Schema.decodeUnknownResult(State)

const isWritable = (outcome: Outcome): boolean =>
  outcome._tag === "Success" && (outcome.isEncoded === true || outcome.json !== undefined)

const textOf = (outcome: Outcome): string => OutcomeText.write(outcome, (value) => value)

export const write = ({ digest, isAnswered, last, running, spent }: Account.Account): AccountText => {
  const failure = last?._tag === "Failure" ? textOf(last) : undefined
  return {
    state: JSON.stringify({ spent, running, digest, isAnswered, failure }),
    result: last !== undefined && isWritable(last) ? textOf(last) : undefined
  }
}

/** Reads an account back; undefined where the texts are none. */
export const read = ({ result, state }: AccountText): Account.Account | undefined => {
  const stored = decode(state)
  if (Result.isFailure(stored)) return undefined
  const { digest, failure, ...counts } = stored.success
  const text = failure ?? result
  const last = text === undefined ? undefined : OutcomeText.read(text)
  return text !== undefined && last === undefined ? undefined : { ...counts, digest, last }
}
