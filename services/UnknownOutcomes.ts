/**
 * Stores the calls whose side effect is unknown, until a person settles them, and the settlements [10.5].
 *
 * **Details**
 *
 * - Every method is one atomic step. If several people settle an outcome at the same time, the first settlement counts.
 * - Settled outcomes are kept, as a record of who settled what.
 * - Every layer applies the rules of `src/domain/approval/UnknownOutcome.ts`. Contract: `test/contracts/UnknownOutcomes.ts`.
 */
import type { SettlementResult, NewSettlement, UnknownOutcome } from "#domain/approval/UnknownOutcome"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The store of unknown outcomes does not respond. Nothing was settled. */
export class UnknownOutcomesUnavailable extends Schema.TaggedError<UnknownOutcomesUnavailable>(
  "effect-toolguard/UnknownOutcomesUnavailable"
)("UnknownOutcomesUnavailable", { cause: Schema.Defect() }) {}

/** An outcome to store. `binding` may be any text; the store keeps its digest. */
export type NewUnknownOutcome = Omit<UnknownOutcome, "arguments" | "at" | "id" | "settlement"> & {
  /** Any value that JSON can represent. */
  readonly arguments: unknown
}

/** Selects outcomes that are not settled. */
export interface OutcomeListing {
  /** The maximum number of outcomes to list, oldest first. */
  readonly limit: number
  /** True to include calls that the upstream answered with an error. Default false: only calls without an answer. */
  readonly answered?: boolean | undefined
  /** The tools whose outcomes are listed. Default: all tools. */
  readonly tools?: ReadonlyArray<string> | undefined
  /** The tenants whose outcomes are listed. Default: all tenants. */
  readonly tenants?: ReadonlyArray<string> | undefined
}

export class UnknownOutcomes extends Context.Service<
  UnknownOutcomes,
  {
    /**
     * False if the state is only in this process, where tools with the same id can be kept apart. Default true [2.10].
     */
    readonly isShared?: boolean
    /** Stores an outcome, with a new id and the time. */
    readonly add: (outcome: NewUnknownOutcome) => Effect.Effect<UnknownOutcome, UnknownOutcomesUnavailable>
    /** Settles an outcome. Undefined if no outcome has the id. */
    readonly settle: (
      id: string,
      settling: NewSettlement
    ) => Effect.Effect<SettlementResult | undefined, UnknownOutcomesUnavailable>
    readonly find: (id: string) => Effect.Effect<UnknownOutcome | undefined, UnknownOutcomesUnavailable>
    /** Returns the latest outcome with this binding, settled or not. */
    readonly latest: (binding: string) => Effect.Effect<UnknownOutcome | undefined, UnknownOutcomesUnavailable>
    /** Lists the outcomes that are not settled, oldest first. */
    readonly open: (listing: OutcomeListing) => Effect.Effect<ReadonlyArray<UnknownOutcome>, UnknownOutcomesUnavailable>
  }
>()("effect-toolguard/UnknownOutcomes") {}
