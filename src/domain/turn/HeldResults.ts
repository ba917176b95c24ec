/**
 * The latest results that a turn holds, complete or partial, so that identical calls can get them again: at most
 * `heldResults` results, each of at most `Account.heldBytes` bytes.
 */
import type { FailedOutcome, Outcome, Success } from "#domain/call/Outcome"
import type { PartialData } from "#domain/failure/Failure"
import { heldBytes, partBytes } from "./Account.ts"
import * as RecentEntries from "./RecentEntries.ts"

/** An incomplete result. */
export interface FailedPart extends FailedOutcome {
  readonly failure: PartialData<unknown>
}

/** Results by call. By default, only complete results. */
export interface HeldResults<Result extends Outcome = Success> {
  readonly results: RecentEntries.RecentEntries<Result | undefined>
  /** The calls whose results are held, oldest first. */
  readonly held: ReadonlyArray<string>
}

const heldResults = 20

/** No results. */
export const empty: HeldResults<never> = { results: RecentEntries.empty(), held: [] }

/** Returns the result of a call, if it is held. */
export const get = <Result extends Outcome>({ results }: HeldResults<Result>, call: string): Result | undefined =>
  RecentEntries.get(results, call)

/** Holds a result, without the notes on its call, unless it is too large. */
export const hold = (self: HeldResults, call: string, outcome: Success): HeldResults =>
  held(self, call, withoutNotes(outcome))

/** Holds an incomplete result, without the notes on its call, unless it is too large. */
export const holdPart = (self: HeldResults<FailedPart>, call: string, outcome: FailedPart): HeldResults<FailedPart> =>
  held(self, call, partWithoutNotes(outcome))

const held = <Result extends Outcome>(
  self: HeldResults<Result>,
  call: string,
  result: Result | undefined
): HeldResults<Result> => {
  const others = self.held.filter((held) => held !== call)
  const results = RecentEntries.set(self.results, call, result)
  if (result === undefined) return { results, held: others }
  const [oldest] = others
  return oldest === undefined || others.length < heldResults
    ? { results, held: [...others, call] }
    : { results: RecentEntries.set(results, oldest, undefined), held: [...others.slice(1), call] }
}

const withoutNotes = ({
  bytes,
  digest,
  isAccepted,
  isRaw,
  json,
  parts,
  statedFailure,
  usedFallback,
  value
}: Success): Success | undefined =>
  (json?.length ?? bytes ?? 0) + partBytes({ parts }) > heldBytes
    ? undefined
    : {
        _tag: "Success",
        value,
        ...(bytes === undefined ? {} : { bytes }),
        ...(json === undefined ? {} : { json }),
        ...(digest === undefined ? {} : { digest }),
        ...(isAccepted === undefined ? {} : { isAccepted }),
        ...(isRaw === undefined ? {} : { isRaw }),
        ...(parts === undefined ? {} : { parts }),
        ...(statedFailure === undefined ? {} : { statedFailure }),
        ...(usedFallback === undefined ? {} : { usedFallback })
      }

const partWithoutNotes = ({
  bytes,
  digest,
  failure,
  isEncoded,
  parts,
  usedFallback
}: FailedPart): FailedPart | undefined =>
  (bytes ?? bytesOf(failure.data)) + partBytes({ parts }) > heldBytes
    ? undefined
    : {
        _tag: "Failure",
        failure,
        ...(bytes === undefined ? {} : { bytes }),
        ...(digest === undefined ? {} : { digest }),
        ...(isEncoded === undefined ? {} : { isEncoded }),
        ...(parts === undefined ? {} : { parts }),
        ...(usedFallback === undefined ? {} : { usedFallback })
      }

/** Returns the approximate size of a value, in bytes; infinite if `JSON.stringify` throws. */
const bytesOf = (value: unknown): number => {
  try {
    return (JSON.stringify(value) as string | undefined)?.length ?? 0
  } catch {
    return Infinity
  }
}
