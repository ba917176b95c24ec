/**
 * Lets a durable run wait for people. Each wait is a durable deferred.
 *
 * **Details**
 *
 * - A question of `EscalationDurable` is decided with its token. The token contains `approval/SECRET/PLACE/N`, which
 *   cannot be guessed.
 * - A request in an inbox is decided there. The run waits at `request/ID`, where ID is the last segment of the URL, and
 *   asks again when it is woken.
 */
import type { DurableDecision as Decision } from "#domain/approval/DurableDecision"
import { DurableDecision } from "#domain/approval/DurableDecision"
import { CurrentDurableWait, type DurableRun } from "#services/DurableWait"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as DurableDeferred from "effect/workflow/DurableDeferred"
import * as SealedValue from "./SealedValue.ts"
import { WorkflowEngine, type WorkflowInstance } from "effect/workflow/WorkflowEngine"

/** The decision that a step waits for. */
export const Wait = Schema.Struct({
  name: Schema.String,
  /** Identifies the question, if it is decided with its token. */
  binding: Schema.optionalKey(Schema.String)
})
export type Wait = typeof Wait.Type

export const deferred = (name: string) => DurableDeferred.make(name, { success: SealedValue.stored(DurableDecision) })

/** Returns the name of the wait for a request in an inbox. */
export const requestName = (id: string): string => `request/${id}`

/** Returns whether the decision has been made, without waiting. */
export const isDecided = ({ name }: Wait): Effect.Effect<boolean, never, WorkflowEngine | WorkflowInstance> =>
  Effect.flatMap(WorkflowEngine, (engine) => Effect.map(engine.deferredResult(deferred(name)), Option.isSome))

/** One call or question of the run that may wait for a person. */
export interface WaitingStep {
  /** Returns the number of executions, including the current one. */
  readonly executions: () => number
  /** Provides the call or question with the token of its decision. */
  readonly provide: <A, R>(effect: Effect.Effect<A, never, R>) => Effect.Effect<A, never, R>
  /**
   * Returns the wait. Returns undefined if the step is not pending or must not suspend the run, or if there is neither
   * a token nor a URL with which a person could decide.
   */
  readonly waitOf: (isPending: boolean, approvalUrl: string | undefined) => Wait | undefined
  /** False if the same wait has been decided before: that decision did not settle the call. */
  readonly isNew: (wait: Wait) => boolean
  /** Suspends the run until the decision. */
  readonly decided: (wait: Wait) => Effect.Effect<Decision, never, WorkflowEngine | WorkflowInstance>
  /** Records the decision before the next execution. */
  readonly next: (wait: Wait, decision: Decision) => void
}

export interface Waits {
  /** True if pending calls and questions suspend the run. */
  readonly isSuspending: boolean
  readonly begin: (place: string, secret: string) => WaitingStep
}

interface WaitsOptions extends DurableRun {
  readonly tokenOf: (name: string) => string
  readonly sealing: SealedValue.Sealing
  /** True if pending calls and questions suspend the run. */
  readonly isSuspending: boolean
}

export const make = ({ isSuspending, sealing, tokenOf, ...run }: WaitsOptions): Waits => ({
  isSuspending,
  begin: (place, secret) => {
    const decisions = new Map<string, Decision>()
    const waited = new Set<string>()
    let executions = 1
    let openBinding: string | undefined
    const approvalName = () => `approval/${secret}/${place}/${executions}`
    return {
      executions: () => executions,
      provide: (effect) =>
        Effect.suspend(() => {
          openBinding = undefined
          return Effect.provideService(effect, CurrentDurableWait, {
            ...run,
            token: tokenOf(approvalName()),
            decided: (binding) => decisions.get(binding),
            open: (binding) => void (openBinding = binding)
          })
        }),
      waitOf: (isPending, approvalUrl) => {
        if (!isSuspending || !isPending) return undefined
        if (openBinding !== undefined) return { name: approvalName(), binding: openBinding }
        const id = approvalUrl?.split("/").at(-1) ?? ""
        return id === "" ? undefined : { name: requestName(id) }
      },
      isNew: ({ name }) => !waited.has(name),
      decided: ({ name }) =>
        Effect.flatMap(DurableDeferred.await(deferred(name)), (decision) =>
          SealedValue.orWait(sealing.open(name, DurableDecision, decision))
        ),
      next: ({ binding, name }, decision) => {
        waited.add(name)
        executions += 1
        if (binding !== undefined) decisions.set(binding, decision)
      }
    }
  }
})
