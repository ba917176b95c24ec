/** Reads the halts of a shared store at most twice a second. All calls that need them at the same time share one read. */
import { type HaltEntry, orderOf } from "#domain/tool/Halt"
import type { Halts, HaltsUnavailable } from "#services/Halts"
import * as Effect from "effect/Effect"

/** Two reads a second: a process then sees an order within a second, even if the read takes a while. */
const lifetime = "500 millis"

type Service = Halts["Service"]

/** The operations of a store. Only `read` is cached. */
export interface HaltStore extends Omit<Service, "current"> {
  readonly read: Effect.Effect<ReadonlyArray<HaltEntry>, HaltsUnavailable>
}

/** Creates the service over a store. */
export const make = ({ halt, history, read, resume }: HaltStore): Effect.Effect<Service> =>
  Effect.map(
    Effect.cachedInvalidateWithTTL(
      Effect.map(
        read,
        (entries): ReadonlyMap<string, HaltEntry> => new Map(entries.map((entry) => [entry.tool, entry]))
      ),
      lifetime
    ),
    ([current, invalidate]) => ({
      current,
      halt: (order) =>
        Effect.ensuring(
          Effect.suspend(() => halt(orderOf(order))),
          invalidate
        ),
      resume: (order) =>
        Effect.ensuring(
          Effect.suspend(() => resume(orderOf(order))),
          invalidate
        ),
      history
    })
  )
