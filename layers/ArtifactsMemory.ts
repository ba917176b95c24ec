/**
 * Keeps artifacts in the memory of this process, up to a limit. Beyond the limit, the oldest artifacts of the tenant
 * with the largest total are dropped, so that a tenant cannot displace the artifacts of tenants that hold less.
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
  readonly tenant: string
  readonly conversation: string
  readonly text: string
  readonly bytes: number
  readonly expiresAt: number
}

/** Keeps artifacts in this process, up to a custom limit. */
export const layerWith = ({ maxBytes = 64_000_000 }: Options): Layer.Layer<Artifacts> =>
  Layer.sync(Artifacts, () => {
    /** Oldest first. */
    const entries = new Map<string, Entry>()
    /** The artifacts of each tenant: their ids, oldest first, and the sum of their bytes. */
    const holdings = new Map<string, { readonly ids: Set<string>; bytes: number }>()
    let totalBytes = 0

    const remove = (id: string, { bytes, tenant }: Entry): void => {
      entries.delete(id)
      totalBytes -= bytes
      const holding = holdings.get(tenant)
      if (holding === undefined) return
      holding.bytes -= bytes
      holding.ids.delete(id)
      if (holding.ids.size === 0) holdings.delete(tenant)
    }
    const add = (id: string, entry: Entry): void => {
      const holding = holdings.get(entry.tenant) ?? { ids: new Set(), bytes: 0 }
      holdings.set(entry.tenant, holding)
      holding.ids.add(id)
      holding.bytes += entry.bytes
      entries.set(id, entry)
      totalBytes += entry.bytes
    }
    /** Returns the tenant that would hold the most bytes after the addition. */
    const largest = (adding: string, bytes: number): string => {
      let [found, most] = [adding, (holdings.get(adding)?.bytes ?? 0) + bytes]
      for (const [tenant, holding] of holdings) if (holding.bytes > most) [found, most] = [tenant, holding.bytes]
      return found
    }
    const makeRoom = (adding: string, bytes: number, now: number): void => {
      for (const [id, entry] of entries) if (entry.expiresAt <= now) remove(id, entry)
      while (totalBytes + bytes > maxBytes) {
        const [oldest = ""] = holdings.get(largest(adding, bytes))?.ids ?? []
        const entry = entries.get(oldest)
        if (entry === undefined) return
        remove(oldest, entry)
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
          makeRoom(turn.tenant, bytes, now)
          const expiresAt = now + Duration.toMillis(timeToLive)
          add(id, { tenant: turn.tenant, conversation: conversationKey(turn), text, bytes, expiresAt })
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
