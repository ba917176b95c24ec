/**
 * Artifacts in a database, SQLite or PostgreSQL: they survive a restart, and any process on the database reads them.
 *
 * What has expired is not read any more, and swept every ten minutes while the layer lives. The database is waited for at most
 * 5 seconds.
 */
import { conversationKey } from "#domain/turn/Turn"
import { Artifacts, ArtifactsUnavailable } from "#services/Artifacts"
import { DatabasePlace, databaseUnavailable, type DatabaseUnavailable } from "#services/DatabaseUnavailable"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { artifactId, isArtifactId } from "#layers/internal/stores/artifactId"
import * as Migrations from "#layers/internal/sql/Migrations"
import { remedyOf } from "#layers/internal/sql/remedy"
import { sweeping } from "#layers/internal/sql/sweeping"

const longest = "5 seconds"

/** The artifacts in whatever database the `SqlClient` has. Makes its tables where they are missing. */
export const layer: Layer.Layer<Artifacts, DatabaseUnavailable, SqlClient.SqlClient> = Layer.effect(
  Artifacts,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const place = yield* DatabasePlace
    /** Both statements may be made twice: where a connection had broken meanwhile, the pool has another one. */
    const asked = <A>(step: Effect.Effect<A, SqlError>) =>
      Effect.retry(step, { times: 1, while: ({ reason }) => reason._tag === "ConnectionError" }).pipe(
        Effect.interruptible,
        Effect.timeout(longest),
        Effect.mapError(
          (cause) => new ArtifactsUnavailable({ cause: databaseUnavailable(place, remedyOf(cause), cause) })
        )
      )
    yield* sweeping((now) => sql`DELETE FROM toolguard_artifacts WHERE expires_at <= ${now}`)
    return {
      isKeeping: true,
      put: ({ text, timeToLive, turn }) =>
        Effect.gen(function* () {
          const id = yield* artifactId
          const expiresAt = (yield* Clock.currentTimeMillis) + Duration.toMillis(timeToLive)
          yield* asked(sql`INSERT INTO toolguard_artifacts (id, conversation, body, expires_at)
            VALUES (${id}, ${conversationKey(turn)}, ${text}, ${expiresAt}) ON CONFLICT (id) DO NOTHING`)
          return id
        }),
      read: (turn, id) =>
        Effect.gen(function* () {
          if (!isArtifactId(id)) return undefined
          const now = yield* Clock.currentTimeMillis
          const [row] = yield* asked(sql<{ readonly body: string }>`SELECT body FROM toolguard_artifacts
            WHERE id = ${id} AND conversation = ${conversationKey(turn)} AND expires_at > ${now}`)
          return row?.body
        })
    }
  })
).pipe(Layer.provide(Migrations.layer))
