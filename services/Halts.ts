/**
 * Stops all calls of a tool in every process that shares the store, until an operator resumes it.
 *
 * **Details**
 *
 * - A process sees the order of another process after at most one second, and its own orders immediately.
 * - A halted tool gets no new attempt. Its calls are refused with Permanent `halted`. A handler that is already running
 *   continues.
 * - Every order is kept with the operator's name, the reason and the time.
 * - While the store does not respond, writes are refused with `store_unavailable` and reads run.
 *
 * Contract: `test/contracts/Halts.ts`.
 */
import type { HaltEntry, HaltOrder } from "#domain/tool/Halt"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The store of halts does not respond. */
export class HaltsUnavailable extends Schema.TaggedError<HaltsUnavailable>("effect-toolguard/HaltsUnavailable")(
  "HaltsUnavailable",
  { cause: Schema.Defect() }
) {}

export class Halts extends Context.Service<
  Halts,
  {
    /** Returns true if it is known without waiting that no tool is halted. Absent if the layer must always be asked. */
    readonly isEmpty?: () => boolean
    /** The halts that are in force, by tool. The answer is at most half a second old. */
    readonly current: Effect.Effect<ReadonlyMap<string, HaltEntry>, HaltsUnavailable>
    /** Halts a tool. If a tool has several halts, the latest is in force. */
    readonly halt: (order: HaltOrder) => Effect.Effect<HaltEntry, HaltsUnavailable>
    /** Resumes a tool. Returns the halt that was in force, or undefined if the tool was not halted. */
    readonly resume: (order: HaltOrder) => Effect.Effect<HaltEntry | undefined, HaltsUnavailable>
    /** The last 100 orders, newest first. */
    readonly history: Effect.Effect<ReadonlyArray<HaltEntry>, HaltsUnavailable>
  }
>()("effect-toolguard/Halts") {}
