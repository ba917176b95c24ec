/**
 * [4.14] Limits how much of a result a model reads. If a result exceeds `ResultLimit` (default: 10 KB), the model reads
 * a preview, the size, and a link to the rest for `read_result`.
 *
 * **Details**
 *
 * - A stored result has passed `redact`. It is stored only within a turn, because its link belongs to a conversation,
 *   and only if the model has `read_result`.
 * - If the store does not respond, the preview says that the rest cannot be read.
 * - The parts that accompany a result have separate limits (`PartLimits`).
 */
import * as ArtifactLink from "#domain/envelope/artifact/ArtifactLink"
import * as ReadResult from "#domain/envelope/artifact/ReadResult"
import type { Outcome } from "#domain/call/Outcome"
import type { PlainPart } from "#domain/parts/Part"
import { artifactOf } from "#domain/parts/ShownPart"
import * as Utf8 from "#domain/text/Utf8"
import { Artifacts } from "#services/Artifacts"
import { ArtifactLifetime, PartLimits } from "#services/Policies"
import { ResultLimit } from "#services/ResultLimit"
import { callerPolicyOf, policyOf } from "#pipeline/call/GuardPolicies"
import * as Effect from "effect/Effect"
import { compiledOf } from "#pipeline/call/CompiledTool"
import { place } from "#pipeline/answer/PartPlacement"
import { maxResultBytes, type ModelStage, type Reading } from "#pipeline/call/ModelStage"

/** The limit for a result that is known to fit, so that it is not measured again. */
const unbounded = Number.MAX_SAFE_INTEGER

export const limit: ModelStage<Artifacts> = {
  name: "limit",
  make: Effect.map(Artifacts, (artifacts) => ({ definition }) => (reading) => {
    const { parts } = reading
    const limited = ofResult(artifacts, reading, definition.shownBytes)
    if (parts === undefined) return limited
    return Effect.flatMap(Effect.isEffect(limited) ? limited : Effect.succeed(limited), (limited) =>
      withParts(artifacts, limited, parts)
    )
  })
}

/** Limits a result to the first size that is set: around the call, by the tool (`ofTool`), or by the guard. */
const ofResult = (
  artifacts: Artifacts["Service"],
  reading: Reading,
  ofTool: number | undefined
): Reading | Effect.Effect<Reading> => {
  const written = withJson(reading)
  const { json: text, turn } = written
  if (text === undefined) return written
  const maxBytes = callerPolicyOf(reading, ResultLimit) ?? ofTool ?? policyOf(reading, ResultLimit)
  if (Utf8.fits(text, maxBytes)) return { ...written, maxResultBytes: unbounded }
  const limited = { ...written, maxResultBytes: Math.min(maxBytes, maxResultBytes) }
  const isKept = artifacts.isKeeping && turn !== undefined && isReadable(limited)
  return isKept ? keep(artifacts, limited, { turn, text }) : limited
}

const withParts = (
  artifacts: Artifacts["Service"],
  reading: Reading,
  parts: ReadonlyArray<PlainPart>
): Effect.Effect<Reading> => {
  const { turn } = reading
  const link = (part: PlainPart): Effect.Effect<string | undefined> =>
    artifacts.isKeeping && turn !== undefined && isReadable(reading)
      ? put(artifacts, reading, { turn, text: JSON.stringify(artifactOf(part)) })
      : Effect.undefined
  return Effect.map(place(parts, policyOf(reading, PartLimits), link), (placement) => ({ ...reading, ...placement }))
}

/**
 * Returns the reading with its result written as JSON, if it has one. `render` reports a result that JSON cannot hold.
 */
const withJson = (reading: Reading): Reading => {
  const { encode, json, outcome } = reading
  if (json !== undefined || (outcome._tag === "Failure" && outcome.failure._tag !== "PartialData")) return reading
  try {
    const encoded = encode(resultOf(outcome))
    return { ...reading, json: JSON.stringify(encoded) as string | undefined, encode: () => encoded }
  } catch {
    return reading
  }
}

const resultOf = (outcome: Outcome): unknown => {
  if (outcome._tag === "Success") return outcome.value
  return outcome.failure._tag === "PartialData" ? outcome.failure.data : undefined
}

/** True if the model has this library's `read_result`. Another tool of that name cannot read the links. */
const isReadable = ({ tools }: Reading): boolean => {
  const reader = tools.get(ReadResult.name)
  return reader !== undefined && compiledOf(reader).definition.parameters === ReadResult.parameters
}

interface ArtifactContent {
  readonly turn: NonNullable<Reading["turn"]>
  readonly text: string
}

const keep = (artifacts: Artifacts["Service"], reading: Reading, what: ArtifactContent): Effect.Effect<Reading> =>
  Effect.map(put(artifacts, reading, what), (url) => ({
    ...reading,
    kept: url === undefined ? { _tag: "Lost" } : { _tag: "Kept", url }
  }))

/** Stores a text and returns its link; undefined if the text cannot be stored. */
const put = (artifacts: Artifacts["Service"], reading: Reading, what: ArtifactContent) =>
  Effect.suspend(() => artifacts.put({ ...what, timeToLive: policyOf(reading, ArtifactLifetime) })).pipe(
    Effect.map((id): string | undefined => ArtifactLink.urlOf(id)),
    Effect.catchCause((cause) =>
      Effect.as(
        Effect.logWarning(`A large result of ${reading.name} could not be stored`, reading.traceId, cause),
        undefined
      )
    )
  )
