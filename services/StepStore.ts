/**
 * Stores the results of the steps of durable runs next to the workflow engine. Default `undefined`: each step is an
 * activity of the engine.
 */
import type { DurableRunsUnavailable } from "#services/DurableRuns"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"

/** One execution of an agent in the workflow engine. */
export interface Execution {
  readonly agent: string
  readonly execution: string
}

/** What the store contains about a step. */
export type StoredStep =
  | { readonly _tag: "Result"; readonly value: Schema.Json }
  /** The step ended with a defect. */
  | { readonly _tag: "Defect"; readonly defect: unknown }

/** What happened to the result of a step. */
export type SavedStep =
  | { readonly _tag: "Saved" }
  /** Another runner has stored the step before, and its result counts. */
  | { readonly _tag: "Earlier"; readonly step: StoredStep }
  /** The run has ended or is suspended, so that the result was not stored. */
  | { readonly _tag: "Closed" }

/** Stores the steps of the runs that this process executes. */
export interface StepStore {
  /** Returns the stored steps of an execution, by name. */
  readonly load: (run: Execution) => Effect.Effect<ReadonlyMap<string, StoredStep>, DurableRunsUnavailable>
  /** Stores the result of a step, unless the step has one. Safe to repeat. */
  readonly save: (run: Execution, name: string, value: Schema.Json) => Effect.Effect<SavedStep, DurableRunsUnavailable>
  /** True if this process is the runner of the execution. */
  readonly isOwner: (execution: string) => boolean
  /** Called before an execution returns its end. Its steps are removed after the engine has stored the end. */
  readonly ending: (run: Execution) => void
}

/** The store of this process. */
export const StepStore = Context.Reference<StepStore | undefined>("effect-toolguard/StepStore", {
  defaultValue: () => undefined
})
