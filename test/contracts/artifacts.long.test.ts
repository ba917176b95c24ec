/** Tests of Artifacts in PostgreSQL, including a server that becomes unavailable. */
import * as ArtifactsSql from "#layers/ArtifactsSql"
import * as Postgres from "#layers/Postgres"
import { Artifacts, type ArtifactsUnavailable } from "#services/Artifacts"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { needs } from "../support/prerequisites.ts"
import { proxyTo } from "../support/proxy.ts"
import { postgres, scratchDatabase, scratchUrl } from "../support/servers.ts"
import { artifactsContract } from "./Artifacts.ts"
import { databaseContract } from "./ArtifactsDatabase.ts"
import { turn } from "./values.ts"

const timeToLive = Duration.hours(1)
const kilobyte = JSON.stringify("x".repeat(998))

describe("PostgreSQL", needs(postgres), () => {
  const database = scratchDatabase("artifacts")

  it.effect(
    "4.14 a server that disconnects or hangs causes a typed error within five seconds, and no text is lost",
    () =>
      Effect.gen(function* () {
        const proxy = yield* proxyTo(scratchUrl("artifacts"))
        const url = Redacted.make(proxy.url)
        yield* Effect.gen(function* () {
          const { put, read } = yield* Artifacts
          const causeOf = ({ cause }: ArtifactsUnavailable) => (cause instanceof Error ? cause.message : "")
          const id = yield* put({ turn, text: kilobyte, timeToLive })
          proxy.cut()
          assert.match(
            causeOf(yield* Effect.flip(put({ turn, text: kilobyte, timeToLive }))),
            /No server answers at this address/
          )
          assert.match(causeOf(yield* Effect.flip(read(turn, id))), /No server answers at this address/)
          proxy.restore()
          assert.strictEqual(yield* read(turn, id), kilobyte)
          proxy.hang()
          const reading = yield* Effect.forkChild(Effect.flip(read(turn, id)), { startImmediately: true })
          yield* TestClock.adjust("5 seconds")
          assert.match(causeOf(yield* Fiber.join(reading)), /did not respond in time/)
        }).pipe(Effect.provide(Layer.provide(ArtifactsSql.layer, Postgres.layer({ url }))))
      })
  )

  artifactsContract("PostgreSQL", Layer.provide(ArtifactsSql.layer, database))
  databaseContract("PostgreSQL", database)
})
