/**
 * Runs the calls and turns of a toolbox as promises, for hosts that are not written with Effect.
 *
 * A call that is made within the function of a turn belongs to that turn, also if a framework makes it. Every other call
 * is a turn of its own, and the first of a process logs a warning.
 */
import type { ModelAnswer, ModelCall } from "#pipeline/ModelCall"
import { CurrentTurn } from "#services/CurrentTurn"
import { Guard, type TurnOptions } from "#src/guard/Guard"
import type { AnyTool, RequirementsOf } from "#src/tool/ToolClass"
import type { Toolbox } from "#src/tool/Toolbox"
import type { Turn } from "#domain/turn/Turn"
import * as Effect from "effect/Effect"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import { HostValue } from "./HostValue.ts"
import * as Rejection from "./Rejection.ts"
import * as TurnScope from "./TurnScope.ts"

/** A call of a model. The guard creates an id if the provider has none. */
export interface HostCall extends Omit<ModelCall, "callId" | "journal" | "loopAsks" | "settled"> {
  readonly callId?: string | undefined
  /** What `execute` receives as `context.host`, such as the options that a framework passes to its tools. */
  readonly host?: unknown
}

/** Which turn it is. Missing ids are generated. */
export interface PromiseTurnOptions extends TurnOptions {
  /** Interrupts the running calls of the turn. */
  readonly signal?: AbortSignal | undefined
}

/** Options of calls. */
export interface CallOptions {
  /** Interrupts the call. */
  readonly signal?: AbortSignal | undefined
}

/** The calls of a turn. */
export interface PromiseTurn {
  /** Answers a call of a model. Never rejects, unless the call is interrupted. */
  readonly answer: (call: HostCall, options?: CallOptions) => Promise<ModelAnswer>
  /** Answers the calls of one response, at most `concurrency` (default 8) at a time, in the order of the calls. */
  readonly answerAll: (
    calls: ReadonlyArray<HostCall>,
    options?: CallOptions & { readonly concurrency?: number }
  ) => Promise<ReadonlyArray<ModelAnswer>>
  /** The ids of the turn. */
  readonly ids: Turn
}

/** The calls of a toolbox as promises. */
export interface PromiseHost extends Omit<PromiseTurn, "ids"> {
  /**
   * Runs a function as one turn, from a message of the user to the final answer: its calls share budgets and recall, and
   * the turn's state is removed when the promise of the function is settled. Rejects with what the function throws.
   */
  readonly turn: <A>(run: (turn: PromiseTurn) => Promise<A>, options?: PromiseTurnOptions) => Promise<A>
}

/** Runs an effect in a turn; by default, in the turn of the running function. */
export const inTurn = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  turn: Turn | undefined = TurnScope.current()
): Effect.Effect<A, E, R> => Effect.provideService(effect, CurrentTurn, turn)

/** The runtime of the layers of a toolbox. */
export type HostRuntime<R> = ManagedRuntime.ManagedRuntime<R, unknown>

const concurrency = 8

/** Creates the host. The runtime has the guard and the services that the tools require. */
export const make = <Tools extends AnyTool>(
  runtime: HostRuntime<Guard | RequirementsOf<Tools>>,
  box: Toolbox<Tools>
): PromiseHost => {
  const within = (turn: Turn | undefined): Omit<PromiseTurn, "ids"> => {
    const answer = ({ callId = "", host, ...call }: HostCall) =>
      inTurn(Effect.provideService(box.answer({ ...call, callId }), HostValue, host), turn)
    return {
      answer: (call, options) => runtime.runPromise(answer(call), options),
      answerAll: (calls, options = {}) =>
        runtime.runPromise(Effect.forEach(calls, answer, { concurrency: options.concurrency ?? concurrency }), options)
    }
  }
  return {
    ...within(undefined),
    turn: (run, { signal, ...options } = {}) =>
      runtime.runPromise(
        Guard.turn(
          Effect.flatMap(CurrentTurn, (turn) => {
            // `Guard.turn` has set it
            const ids = turn as Turn
            return Rejection.ofPromise(() => TurnScope.run(ids, () => run({ ...within(ids), ids })))
          }),
          options
        ),
        { signal }
      )
  }
}
