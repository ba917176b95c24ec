/**
 * Keeps artifacts in the memory of this process, up to a limit. Beyond the limit, the oldest artifacts of all
 * conversations are dropped.
 *
 * A dropped artifact can no longer be read, so the model has to call the tool again. Use `ArtifactsSql` for several
 * processes, or to keep artifacts across a restart.
 */
import { conversationKey } from "#domain/turn/Turn"
import * as Utf8 from "#domain/text/Utf8"
import { Artifacts, ArtifactsUnavailable } from "#services/Artifacts"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { unguessableId } from "#services/Unguessable"

/** The size of the store. */
export interface Options {
  /**
   * The maximum size of all artifacts together, in UTF-8 bytes. Default 64 MB. A single text above the limit is
   * refused.
   */
  readonly maxBytes?: number
}

interface Entry {
  readonly conversation: string
  readonly text: string
  readonly bytes: number
  readonly expiresAt: number
}

/** Keeps artifacts in this process, up to a custom limit. */
export const layerWith = ({ maxBytes = 64_000_000 }: Options): Layer.Layer<Artifacts> =>
  Layer.sync(Artifacts, () => {
    // oldest first
    const entries = new Map<string, Entry>()
    let totalBytes = 0

    const remove = (id: string, { bytes }: Entry): void => {
      entries.delete(id)
      totalBytes -= bytes
    }
    const makeRoom = (bytes: number, now: number): void => {
      for (const [id, entry] of entries) if (entry.expiresAt <= now) remove(id, entry)
      for (const [id, entry] of entries) {
        if (totalBytes + bytes <= maxBytes) return
        remove(id, entry)
      }
    }

    return {
      isKeeping: true,
      put: ({ text, timeToLive, turn }) =>
        Effect.gen(function* () {
          const bytes = Utf8.length(text)
          if (bytes > maxBytes) {
            const cause = new RangeError(`The text has ${bytes} bytes; the limit is ${maxBytes}.`)
            return yield* new ArtifactsUnavailable({ cause })
          }
          const now = yield* Clock.currentTimeMillis
          const id = yield* unguessableId
          makeRoom(bytes, now)
          const expiresAt = now + Duration.toMillis(timeToLive)
          entries.set(id, { conversation: conversationKey(turn), text, bytes, expiresAt })
          totalBytes += bytes
          return id
        }),
      read: (turn, id) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const entry = entries.get(id)
          if (entry === undefined || entry.conversation !== conversationKey(turn)) return undefined
          return entry.expiresAt > now ? entry.text : undefined
        })
    }
  })

/** Keeps at most 64 MB of artifacts in this process. */
export const layer: Layer.Layer<Artifacts> = layerWith({})
