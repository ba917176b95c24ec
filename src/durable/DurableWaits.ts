/**
 * How a durable run waits for people: each wait is a durable deferred that is completed by its token.
 *
 * **Details**
 *
 * - The token of a question of `EscalationDurable` decides it: `approval/SECRET/PLACE/TIME` is unguessable.
 * - A request of an inbox is decided there; the run is woken through `request/ID`, the id at the end of its URL, and asks again.
 */
import type { DurableDecision as Decision } from "#domain/approval/DurableDecision"
import { DurableDecision } from "#domain/approval/DurableDecision"
import { CurrentDurableWait, type DurableRun } from "#services/DurableWait"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as DurableDeferred from "effect/workflow/DurableDeferred"
import { WorkflowEngine, type WorkflowInstance } from "effect/workflow/WorkflowEngine"

/** What a step waits for. */
export const Wait = Schema.Struct({
  name: Schema.String,
  /** What was asked, if the token carries the decision. */
  binding: Schema.optionalKey(Schema.String)
})
export type Wait = typeof Wait.Type

export const deferred = (name: string) => DurableDeferred.make(name, { success: DurableDecision })

/** The wait for a request of an inbox. */
export const requestName = (id: string): string => `request/${id}`

/** Whether the decision has been made, without waiting. */
export const isDecided = ({ name }: Wait): Effect.Effect<boolean, never, WorkflowEngine | WorkflowInstance> =>
  Effect.flatMap(WorkflowEngine, (engine) => Effect.map(engine.deferredResult(deferred(name)), Option.isSome))

export interface Asking {
  /** How often it was executed, including this time. */
  readonly time: () => number
  /** Provides a call or question with the address of its decision. */
  readonly provide: <A, R>(effect: Effect.Effect<A, never, R>) => Effect.Effect<A, never, R>
  /** What it waits for; undefined if it has neither token nor URL, since it could never be decided. */
  readonly waitOf: (isPending: boolean, approvalUrl: string | undefined) => Wait | undefined
  /** False if it waited for the same before: that decision did not settle it. */
  readonly isNews: (wait: Wait) => boolean
  /** Suspends the run until the decision. */
  readonly decided: (wait: Wait) => Effect.Effect<Decision, never, WorkflowEngine | WorkflowInstance>
  /** Records the decision before the next execution. */
  readonly next: (wait: Wait, decision: Decision) => void
}

export interface Waits {
  readonly begin: (place: string, secret: string) => Asking
}

export interface WaitsOptions extends DurableRun {
  readonly tokenOf: (name: string) => string
  /** Pending questions suspend the run. */
  readonly isSuspending: boolean
}

export const make = ({ isSuspending, tokenOf, ...run }: WaitsOptions): Waits => ({
  begin: (place, secret) => {
    const decisions = new Map<string, Decision>()
    const waited = new Set<string>()
    let time = 1
    let opened: string | undefined
    const own = () => `approval/${secret}/${place}/${time}`
    return {
      time: () => time,
      provide: (effect) =>
        Effect.suspend(() => {
          opened = undefined
          return Effect.provideService(effect, CurrentDurableWait, {
            ...run,
            token: tokenOf(own()),
            decided: (binding) => decisions.get(binding),
            open: (binding) => void (opened = binding)
          })
        }),
      waitOf: (isPending, approvalUrl) => {
        if (!isSuspending || !isPending) return undefined
        if (opened !== undefined) return { name: own(), binding: opened }
        const id = approvalUrl?.split("/").at(-1) ?? ""
        return id === "" ? undefined : { name: requestName(id) }
      },
      isNews: ({ name }) => !waited.has(name),
      decided: ({ name }) => DurableDeferred.await(deferred(name)),
      next: ({ binding, name }, decision) => {
        waited.add(name)
        time += 1
        if (binding !== undefined) decisions.set(binding, decision)
      }
    }
  }
})
