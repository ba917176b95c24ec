/**
 * Keeps what is too large for a model to read at once, until it asks for a part of it (SPEC 4.14).
 *
 * **Details**
 *
 * - An artifact belongs to one conversation of one tenant. To any other it does not exist: "not found", never "forbidden".
 * - Ids are 128 random bits. An artifact is gone when its time is over.
 * - A text is JSON, redacted before it comes here.
 *
 * Every layer keeps the promises that `test/contracts/Artifacts.ts` checks.
 */
import type { Turn } from "#domain/turn/Turn"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The store of the artifacts does not answer, or does not take this one. The model then reads the preview alone. */
export class ArtifactsUnavailable extends Schema.TaggedError<ArtifactsUnavailable>(
  "effect-toolguard/ArtifactsUnavailable"
)("ArtifactsUnavailable", { cause: Schema.Defect() }) {}

/** What is to be kept. */
export interface NewArtifact {
  /** Its conversation and tenant are the only ones that may read it. */
  readonly turn: Turn
  /** JSON. */
  readonly text: string
  readonly timeToLive: Duration.Duration
}

export class Artifacts extends Context.Service<
  Artifacts,
  {
    /** False where nothing is ever kept: models then get no links, and no tool to read them. */
    readonly isKeeping: boolean
    /** Keeps a text. Answers its id. */
    readonly put: (artifact: NewArtifact) => Effect.Effect<string, ArtifactsUnavailable>
    /** The text; undefined where there is none of this id, or not in this conversation, or no more. */
    readonly read: (turn: Turn, id: string) => Effect.Effect<string | undefined, ArtifactsUnavailable>
  }
>()("effect-toolguard/Artifacts") {}
