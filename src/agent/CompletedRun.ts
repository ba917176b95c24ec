/**
 * The stored end of a completed run: with a digest of how the run started, so that its id is not mistaken for another run's,
 * and a checksum of both.
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

/** Writes a final end. `begun` is the first row of the run's journal. */
export const write = (sha256: Sha256, begun: string, end: Extract<AgentEnd, typeof Completed.Type>): string => {
  const [digest, text] = [sha256(begun), encode(end)]
  return seal({ begun: digest, sum: sumOf(sha256, digest, text), end: text })
}

/** Reads it. `wanted` is how the run must have started, if the caller states it. */
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
    "Its stored end has changed since it was written. Nothing was modified; restore a copy, or remove the run."
  )
  if (sealed._tag === "Failure") return damaged
  const { begun, end, sum } = sealed.success
  if (sum !== sumOf(sha256, begun, end)) return damaged
  if (wanted !== undefined && sha256(wanted) !== begun) return refused("other_run", otherRun)
  const completed = decode(end)
  return completed._tag === "Failure" ? damaged : completed.success
}

export const otherRun =
  "The id belongs to a run that started with another prompt or turn. Choose another id, or resume that run."
