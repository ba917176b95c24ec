/**
 * A named stage of the pipeline: a small function around the rest of it.
 *
 * **Details**
 *
 * - `make` takes the stage's services once, when the guard's layer is built.
 * - The function that `make` returns runs once per tool. A stage that does nothing for a tool returns `next`, at no
 *   cost per call.
 * - A stage never fails and never throws; the result is always an `Outcome`.
 */
import type { Outcome } from "#domain/call/Outcome"
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import type * as Effect from "effect/Effect"
import type { Call, Purpose } from "./Call.ts"
import type { CompiledTool } from "./CompiledTool.ts"

/**
 * Makes a guarded call of another tool, through all stages. `settled` is a person's finding about an earlier execution whose
 * side effect was unknown.
 */
export type Dispatch = (
  tool: ToolReference,
  args: unknown,
  parent: Call,
  purpose: Exclude<Purpose, "request">,
  settled?: UnknownOutcome
) => Effect.Effect<Outcome>

/** The rest of the pipeline. */
export type Next = (call: Call) => Effect.Effect<Outcome>

/** A stage that has received its services. `dispatch` makes guarded calls of other tools. */
export type Around = (tool: CompiledTool, dispatch: Dispatch) => (next: Next) => Next

export interface Stage<out R = never> {
  /** The name that the specification uses for this stage. */
  readonly name: string
  /**
   * The question that its decisions answer, as a clause: `toolguard explain` shows it. Absent if it records no
   * decisions.
   */
  readonly question?: string
  readonly make: Effect.Effect<Around, never, R>
}

/** A stage that has received its services, with its name. */
export interface BuiltStage {
  readonly name: string
  readonly around: Around
}

/** The nested stages of a tool. */
export interface Chain {
  readonly tool: CompiledTool
  /** The names of the stages that do something for the tool, outermost first. */
  readonly acting: ReadonlyArray<string>
  readonly run: Next
}

/** Nests stages around an innermost step. The first stage sees the call first. */
export const nest = (stages: ReadonlyArray<BuiltStage>, tool: CompiledTool, dispatch: Dispatch, last: Next): Chain => {
  const acting: Array<string> = []
  const run = stages.reduceRight((next, { around, name }) => {
    const outer = around(tool, dispatch)(next)
    if (outer !== next) acting.unshift(name)
    return outer
  }, last)
  return { tool, acting, run }
}
