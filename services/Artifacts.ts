/**
 * Stores results that are too large for a model to read whole, so that the model can read them in parts [4.14].
 *
 * **Details**
 *
 * - An artifact belongs to one conversation of one tenant and principal. In any other conversation it is "not found", never
 *   "forbidden".
 * - Ids are 128 random bits. An artifact expires after its time to live.
 * - A text is JSON, and is redacted before it is stored.
 *
 * Contract: `test/contracts/Artifacts.ts`.
 */
import type { Turn } from "#domain/turn/Turn"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The store of artifacts does not respond, or refuses an artifact. The model then reads only the preview. */
export class ArtifactsUnavailable extends Schema.TaggedError<ArtifactsUnavailable>(
  "effect-toolguard/ArtifactsUnavailable"
)("ArtifactsUnavailable", { cause: Schema.Defect() }) {}

/** An artifact to store. */
export interface NewArtifact {
  /** The turn of the artifact, with which it is erased. Only its tenant, its principal and its conversation may read it. */
  readonly turn: Turn
  /** The result as JSON. */
  readonly text: string
  readonly timeToLive: Duration.Duration
}

export class Artifacts extends Context.Service<
  Artifacts,
  {
    /** False if the layer stores nothing. Models then get neither links nor the tool that reads them. */
    readonly isKeeping: boolean
    /** Stores a text and returns its id. */
    readonly put: (artifact: NewArtifact) => Effect.Effect<string, ArtifactsUnavailable>
    /** Returns the text, or undefined if the id is unknown, expired or of another conversation. */
    readonly read: (turn: Turn, id: string) => Effect.Effect<string | undefined, ArtifactsUnavailable>
  }
>()("effect-toolguard/Artifacts") {}
