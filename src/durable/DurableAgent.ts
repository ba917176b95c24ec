/**
 * Runs that outlive their machine: the agent loop as a workflow of Effect (SPEC 12.3).
 *
 * **Details**
 *
 * - The loop is that of `Agent.run`. Each request to the model and each call is an activity: kept by the engine when it is
 *   finished, and not made again. Where a runner dies another one goes on.
 * - A run is named by you and belongs to a tenant. Who starts a run that is known joins it, whatever prompt is given.
 * - A call or question that waits for a person suspends the run (`pending: "suspend"`), for any time: nothing runs
 *   meanwhile. `decide` takes the token of `EscalationDurable`; `wake` a request that was decided at an inbox.
 * - `onEvent` hears each event once, but for what a dying process told last: that may come again.
 * - An engine is a layer: `WorkflowEngine.layerMemory`, `DurableSqlite`, `DurablePostgres`.
 *
 * **Gotchas**
 *
 * - A call that ran when its process died is made again, with the state `resumed`: for exactly one effect the guard's idempotency
 *   keys must be in a store that all runners share (`IdempotencyKeysSql`, `IdempotencyKeysRedis`).
 * - `maxTime` counts from the start of the run. It ends what runs; a run that waits for a person is looked at when it goes on.
 * - What a conversation remembers from earlier turns (loops) is not carried into a run: every runner comes to the same end.
 */
import type { DurableDecision } from "#domain/approval/DurableDecision"
import type { Turn } from "#domain/turn/Turn"
import * as Prompt from "effect/ai/Prompt"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as DurableDeferred from "effect/workflow/DurableDeferred"
import type { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import type { AgentEnd } from "#src/agent/AgentEnd"
import type { Requirements } from "#src/agent/AgentOptions"
import * as DurableRun from "./DurableRun.ts"
import * as Waits from "./DurableWaits.ts"
import type { AnyTool } from "#src/tool/ToolClass"

export type { DurableOptions, RunKey } from "./DurableRun.ts"

/** A run to be started. */
export interface StartOptions extends DurableRun.RunKey {
  readonly prompt: Prompt.RawInput
  /** The conversation that the run belongs to. Default: one of its own. */
  readonly conversation?: string
  /** On whose behalf it runs, as the Authorizer reads it. */
  readonly principal?: string
}

/** How far a run is. A run that nobody has started is `Running`: it will be, once somebody starts it. */
export type DurableState =
  | { readonly _tag: "Running" }
  /** It waits for a person. */
  | { readonly _tag: "Suspended" }
  | { readonly _tag: "Ended"; readonly end: AgentEnd }

export interface DurableAgent<Tools extends AnyTool> {
  readonly name: string
  /** Makes this process a runner of the agent. */
  readonly layer: Layer.Layer<never, never, WorkflowEngine | Requirements<Tools>>
  /** Starts a run and goes on: the run is kept when this returns. */
  readonly start: (options: StartOptions) => Effect.Effect<void, never, WorkflowEngine>
  /** Starts a run, or joins it, and waits for its end. */
  readonly execute: (options: StartOptions) => Effect.Effect<AgentEnd, never, WorkflowEngine>
  /** Waits for the end of a run that was started anywhere. Asks every `interval`, by default every second. */
  readonly result: (run: DurableRun.RunKey, interval?: Duration.Input) => Effect.Effect<AgentEnd, never, WorkflowEngine>
  readonly poll: (run: DurableRun.RunKey) => Effect.Effect<DurableState, never, WorkflowEngine>
  /** Decides a question of a run, from any process. The first decision counts. */
  readonly decide: (token: string, decision: DurableDecision) => Effect.Effect<void, never, WorkflowEngine>
  /** Wakes the run that waits for a request of an inbox, where it is one of this agent. See `ApprovalsWaking`. */
  readonly wake: (request: WakingRequest) => Effect.Effect<void, never, WorkflowEngine>
}

/** What `wake` reads of a request that was decided. */
export interface WakingRequest {
  readonly id: string
  readonly turn?: Turn
}

/** An agent whose runs are durable. Its name is part of what is kept: it stays the same from release to release. */
export const make = <Tools extends AnyTool>(
  name: string,
  options: DurableRun.DurableOptions<Tools>
): DurableAgent<Tools> => {
  const workflow = DurableRun.workflow(name)
  const payloadOf = ({ conversation, principal, prompt, run, tenant = DurableRun.defaultTenant }: StartOptions) => ({
    run,
    tenant,
    conversation: conversation ?? run,
    ...(principal === undefined ? {} : { principal }),
    prompt: Prompt.make(prompt)
  })
  const idOf = (key: DurableRun.RunKey) => workflow.executionId(payloadOf({ ...key, prompt: [] }))
  const poll = (key: DurableRun.RunKey): Effect.Effect<DurableState, never, WorkflowEngine> =>
    Effect.flatMap(
      Effect.flatMap(idOf(key), (id) => workflow.poll(id)),
      (found): Effect.Effect<DurableState> => {
        if (Option.isNone(found)) return Effect.succeed({ _tag: "Running" })
        if (found.value._tag === "Suspended") return Effect.succeed({ _tag: "Suspended" })
        return Effect.map(found.value.exit, (end) => ({ _tag: "Ended", end }))
      }
    )
  const done = (workflowId: string, deferredName: string, decision: DurableDecision) => {
    const deferred = Waits.deferred(deferredName)
    const token = DurableDeferred.tokenFromExecutionId(deferred, { workflow, executionId: workflowId })
    return DurableDeferred.succeed(deferred, { token, value: decision })
  }
  return {
    name,
    layer: workflow.toLayer((payload, executionId) => DurableRun.body(name, options, payload, executionId)),
    start: (run) => Effect.asVoid(workflow.execute(payloadOf(run), { discard: true })),
    execute: (run) => workflow.execute(payloadOf(run)),
    result: (run, interval = "1 second") =>
      Effect.repeat(poll(run), {
        schedule: Schedule.spaced(interval),
        until: ({ _tag }) => _tag === "Ended"
      }).pipe(Effect.flatMap((state) => (state._tag === "Ended" ? Effect.succeed(state.end) : Effect.never))),
    poll,
    decide: (token, decision) => {
      const it = DurableDeferred.Token.make(token)
      return DurableDeferred.succeed(Waits.deferred(DurableDeferred.TokenParsed.fromString(it).deferredName), {
        token: it,
        value: decision
      })
    },
    wake: ({ id, turn }) => {
      const run = turn === undefined ? undefined : DurableRun.runOf(name, turn)
      return run === undefined
        ? Effect.void
        : Effect.flatMap(idOf(run), (executionId) => done(executionId, Waits.requestName(id), { _tag: "AskAgain" }))
    }
  }
}
