/**
 * Keeps artifacts in a database: they survive a restart, and any process that uses the database can read them.
 *
 * **Details**
 *
 * - Expired artifacts are deleted every ten minutes until the layer closes.
 * - `put` and `read` wait at most 5 seconds for the database.
 * - Each method has a span, such as `Artifacts.put`, which contains the spans of its statements.
 */
import { conversationKey, key as turnKey, type Turn } from "#domain/turn/Turn"
import { Artifacts, ArtifactsUnavailable, type NewArtifact } from "#services/Artifacts"
import { AtRest, openText } from "#services/AtRest"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import { isUnguessableId, unguessableId } from "#services/Unguessable"
import * as Database from "#layers/internal/sql/Database"
import * as Sweep from "#layers/internal/sql/Sweep"
import { digestOf } from "#layers/internal/stores/NewRequest"

const unavailable = Effect.mapError((cause: DatabaseUnavailable) => new ArtifactsUnavailable({ cause }))

/** Keeps artifacts in the database of the `SqlClient`. Creates missing tables. */
export const layer: Layer.Layer<Artifacts, DatabaseUnavailable, SqlClient> = Layer.effect(
  Artifacts,
  Effect.gen(function* () {
    const { askAgain, dialect, sql, time } = yield* Database.Database
    const cipher = yield* AtRest
    const placeOf = (turn: Turn, id: string) => ["artifacts", conversationKey(turn), id] as const
    yield* Sweep.start(time, ({ now }) => sql`DELETE FROM toolguard_artifacts WHERE expires_at <= ${now}`)
    return {
      isKeeping: true,
      put: Effect.fn("Artifacts.put")(function* ({ text, timeToLive, turn }: NewArtifact) {
        const id = yield* unguessableId
        const expiresAt = (yield* time).after(Duration.toMillis(timeToLive))
        const row = {
          id,
          conversation: conversationKey(turn),
          turn: digestOf(turnKey(turn)),
          body: cipher.seal(text, placeOf(turn, id)),
          expires_at: expiresAt
        }
        yield* unavailable(askAgain(dialect.insertIfAbsent("toolguard_artifacts", row)))
        return id
      }),
      read: Effect.fn("Artifacts.read")(function* (turn: Turn, id: string) {
        if (!isUnguessableId(id)) return undefined
        const { now } = yield* time
        const statement = sql<{ readonly body: string }>`SELECT body FROM toolguard_artifacts
          WHERE id = ${id} AND conversation = ${conversationKey(turn)} AND expires_at > ${now}`
        const [row] = yield* unavailable(askAgain(statement))
        if (row === undefined) return undefined
        return yield* Effect.mapError(
          openText(cipher, row.body, placeOf(turn, id)),
          (cause) => new ArtifactsUnavailable({ cause })
        )
      })
    }
  })
).pipe(Layer.provide(Database.layer))
