/**
 * Reads and writes the stored end of a completed run. The end is stored with a digest of the run's first row, which
 * detects an id that is used for two different runs, and with a checksum of the digest and the end.
 */
import type { Sha256 } from "#domain/journal/JournalRows"
import { Turn } from "#domain/turn/Turn"
import { CheckpointRefused } from "#services/Checkpoints"
import * as Schema from "effect/Schema"
import type { AgentEnd } from "./AgentEnd.ts"
import { Answered, Refused } from "./EndSchema.ts"

const Completed = Schema.fromJsonString(Schema.toCodecJson(Schema.Union([Answered, Refused])))
/**
 * The stored end of a run. `begun` is the digest of the first row. Renaming this stored field would need a migration.
 * `turn` is for the erasure of the run (`Forget`), because the first row is deleted.
 */
const Sealed = Schema.fromJsonString(
  Schema.Struct({ begun: Schema.String, sum: Schema.String, end: Schema.String, turn: Schema.optionalKey(Turn) })
)

const encode = Schema.encodeSync(Completed)
const seal = Schema.encodeSync(Sealed)
const decode = Schema.decodeUnknownResult(Completed)
const unseal = Schema.decodeUnknownResult(Sealed)

const sumOf = (sha256: Sha256, start: string, end: string): string => sha256(`${start}\n${end}`)

/** Encodes the end of a completed run (`Answered` or `Refused`). `firstRow` is the first row of the run's journal. */
export const write = (
  sha256: Sha256,
  firstRow: { readonly body: string; readonly value: { readonly turn: Turn } },
  end: Extract<AgentEnd, typeof Completed.Type>
): string => {
  const [start, text] = [sha256(firstRow.body), encode(end)]
  return seal({ begun: start, sum: sumOf(sha256, start, text), end: text, turn: firstRow.value.turn })
}

/** True if a stored end, damaged or not, names this first row. */
export const isEndOf = (sha256: Sha256, text: string, firstRow: string): boolean => {
  const sealed = unseal(text)
  return sealed._tag === "Success" && sealed.success.begun === sha256(firstRow)
}

/** Decodes a stored end. `expected` is the first row that the run must have, if the caller states it. */
export const read = (
  sha256: Sha256,
  run: string,
  text: string,
  expected: string | undefined
): AgentEnd | CheckpointRefused => {
  const sealed = unseal(text)
  const refused = (reason: CheckpointRefused["reason"], detail: string) =>
    new CheckpointRefused({ run, reason, detail })
  const damaged = refused(
    "damaged",
    "The stored end of the run has changed since it was written. It was left unchanged; restore a copy, or remove the run."
  )
  if (sealed._tag === "Failure") return damaged
  const { begun: start, end, sum } = sealed.success
  if (sum !== sumOf(sha256, start, end)) return damaged
  if (expected !== undefined && sha256(expected) !== start) return refused("other_run", otherRunDetail)
  const completed = decode(end)
  return completed._tag === "Failure" ? damaged : completed.success
}

/** The detail of the refusal `other_run`. */
export const otherRunDetail =
  "This id belongs to a run that started with another prompt or turn. Choose another id, or resume that run."
