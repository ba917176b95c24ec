/**
 * The latest results that a turn holds, so that they can be returned again: at most `heldResults` results, each of at
 * most `Account.heldBytes` bytes.
 */
import type { Success } from "#domain/call/Outcome"
import { heldBytes, partBytes } from "./Account.ts"
import * as Recent from "./Recent.ts"

/** Results by call. */
export interface HeldResults {
  readonly results: Recent.Recent<Success | undefined>
  /** The calls whose results are held, oldest first. */
  readonly held: ReadonlyArray<string>
}

const heldResults = 20

/** No results. */
export const empty: HeldResults = { results: Recent.empty(), held: [] }

/** Returns the result of a call, if it is held. */
export const get = ({ results }: HeldResults, call: string): Success | undefined => Recent.get(results, call)

/** Holds a result, without the notes on its call, unless it is too large. */
export const hold = (self: HeldResults, call: string, outcome: Success): HeldResults => {
  const result = withoutNotes(outcome)
  const others = self.held.filter((held) => held !== call)
  const results = Recent.set(self.results, call, result)
  if (result === undefined) return { results, held: others }
  const [oldest] = others
  return oldest === undefined || others.length < heldResults
    ? { results, held: [...others, call] }
    : { results: Recent.set(results, oldest, undefined), held: [...others.slice(1), call] }
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
