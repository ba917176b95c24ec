/**
 * The end of a completed run as its store keeps it: with a digest of how the run began, so that its id is not taken for
 * another run's, and a sum over both.
 */
import type { Sha256 } from "#domain/journal/JournalRows"
import { CheckpointRefused } from "#services/Checkpoints"
import * as Schema from "effect/Schema"
import type { AgentEnd } from "./AgentEnd.ts"
import { Answered, Refused } from "./EndSchema.ts"

const Completed = Schema.fromJsonString(Schema.toCodecJson(Schema.Union([Answered, Refused])))
const Sealed = Schema.fromJsonString(Schema.Struct({ begun: Schema.String, sum: Schema.String, end: Schema.String }))

const encode = Schema.encodeSync(Completed)
const seal = Schema.encodeSync(Sealed)
const decode = Schema.decodeUnknownResult(Completed)
const unseal = Schema.decodeUnknownResult(Sealed)

const sumOf = (sha256: Sha256, begun: string, end: string): string => sha256(`${begun}\n${end}`)

/** Writes an end after which there is nothing to resume. `begun`: the first row of the run's journal. */
export const write = (sha256: Sha256, begun: string, end: Extract<AgentEnd, typeof Completed.Type>): string => {
  const [digest, text] = [sha256(begun), encode(end)]
  return seal({ begun: digest, sum: sumOf(sha256, digest, text), end: text })
}

/** Reads it back. `wanted`: how the run is to have begun, where the caller says so. */
export const read = (
  sha256: Sha256,
  run: string,
  text: string,
  wanted: string | undefined
): AgentEnd | CheckpointRefused => {
  const sealed = unseal(text)
  const refused = (reason: CheckpointRefused["reason"], detail: string) =>
    new CheckpointRefused({ run, reason, detail })
  const damaged = refused(
    "damaged",
    "Its end is not as it was written. It is left as it is; restore a copy, or remove it."
  )
  if (sealed._tag === "Failure") return damaged
  const { begun, end, sum } = sealed.success
  if (sum !== sumOf(sha256, begun, end)) return damaged
  if (wanted !== undefined && sha256(wanted) !== begun) return refused("other_run", otherRun)
  const completed = decode(end)
  return completed._tag === "Failure" ? damaged : completed.success
}

export const otherRun =
  "The id belongs to a run that began with another prompt or turn. Choose another id, or resume that run."
