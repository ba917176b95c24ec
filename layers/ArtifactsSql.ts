/**
 * Artifacts in a database, SQLite or PostgreSQL: they survive a restart, and any process on the database reads them.
 *
 * What has expired is not read any more, and swept every ten minutes while the layer lives. The database is waited for at most
 * 5 seconds.
 */
import { conversationKey } from "#domain/turn/Turn"
import { Artifacts, ArtifactsUnavailable } from "#services/Artifacts"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import { artifactId, isArtifactId } from "#layers/internal/stores/artifactId"
import * as Database from "#layers/internal/sql/Database"
import { sweeping } from "#layers/internal/sql/sweeping"

const unavailable = Effect.mapError((cause: DatabaseUnavailable) => new ArtifactsUnavailable({ cause }))

/** The artifacts in whatever database the `SqlClient` has. Makes its tables where they are missing. */
export const layer: Layer.Layer<Artifacts, DatabaseUnavailable, SqlClient> = Layer.effect(
  Artifacts,
  Effect.gen(function* () {
    const { askAgain, dialect, sql } = yield* Database.Database
    yield* sweeping((now) => sql`DELETE FROM toolguard_artifacts WHERE expires_at <= ${now}`)
    return {
      isKeeping: true,
      put: ({ text, timeToLive, turn }) =>
        Effect.gen(function* () {
          const id = yield* artifactId
          const expiresAt = (yield* Clock.currentTimeMillis) + Duration.toMillis(timeToLive)
          const row = { id, conversation: conversationKey(turn), body: text, expires_at: expiresAt }
          yield* unavailable(askAgain(dialect.insertIfAbsent("toolguard_artifacts", row)))
          return id
        }),
      read: (turn, id) =>
        Effect.gen(function* () {
          if (!isArtifactId(id)) return undefined
          const now = yield* Clock.currentTimeMillis
          const statement = sql<{ readonly body: string }>`SELECT body FROM toolguard_artifacts
            WHERE id = ${id} AND conversation = ${conversationKey(turn)} AND expires_at > ${now}`
          const [row] = yield* unavailable(askAgain(statement))
          return row?.body
        })
    }
  })
).pipe(Layer.provide(Database.layer))
