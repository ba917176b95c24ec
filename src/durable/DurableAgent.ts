/**
 * Runs the agent loop as an Effect workflow that survives its process and its machine [12.3].
 *
 * **Details**
 *
 * - A durable run uses the loop of `Agent.run`. Each request to the model and each call is an activity, which the
 *   engine stores when it finishes and does not repeat. If a runner crashes, another runner resumes the run.
 * - You choose the id of a run, which is unique for its tenant and principal. Starting an existing run joins it and
 *   ignores the prompt.
 * - A call or question that waits for a person suspends the run (`pending: "suspend"`). A suspended run uses no process
 *   and may wait for any time. `decide` takes the token of `EscalationDurable`; `wake` takes a request that was decided
 *   in an inbox.
 * - `onEvent` receives each event once, except that the last events of a process that crashed may be repeated.
 * - An engine is a layer: `WorkflowEngine.layerMemory`, `DurableSqlite`, `DurablePostgres`.
 *
 * **Gotchas**
 *
 * - A call that was running when its process crashed is made again, with the state `resumed`. For exactly one effect,
 *   the guard's idempotency keys must be in a store that all runners share (`IdempotencyKeysSql`,
 *   `IdempotencyKeysRedis`).
 * - `maxTime` counts from the start of the run. The limit interrupts active work; a suspended run is checked when it
 *   resumes.
 * - Loop detection does not include earlier turns of the conversation, so that every runner reaches the same end.
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

/** Options of a new run. */
export interface StartOptions extends DurableRun.RunKey {
  readonly prompt: Prompt.RawInput
  /** The conversation that the run belongs to. Default: the id of the run. */
  readonly conversation?: string
}

/** The state of a run. A run that has not been started is `Running`. */
export type DurableState =
  | { readonly _tag: "Running" }
  /** The run waits for a person. */
  | { readonly _tag: "Suspended" }
  | { readonly _tag: "Ended"; readonly end: AgentEnd }

export interface DurableAgent<Tools extends AnyTool> {
  readonly name: string
  /** Makes this process a runner of the agent. */
  readonly layer: Layer.Layer<never, never, WorkflowEngine | Requirements<Tools>>
  /** Starts a run without waiting for its end. The engine has stored the run when `start` returns. */
  readonly start: (options: StartOptions) => Effect.Effect<void, never, WorkflowEngine>
  /** Starts a run, or joins it, and waits for its end. */
  readonly execute: (options: StartOptions) => Effect.Effect<AgentEnd, never, WorkflowEngine>
  /** Waits for the end of a run that any process started. Polls every `interval`, by default every second. */
  readonly result: (run: DurableRun.RunKey, interval?: Duration.Input) => Effect.Effect<AgentEnd, never, WorkflowEngine>
  readonly poll: (run: DurableRun.RunKey) => Effect.Effect<DurableState, never, WorkflowEngine>
  /** Answers a question of a run, from any process. Later decisions on the same question are ignored. */
  readonly decide: (token: string, decision: DurableDecision) => Effect.Effect<void, never, WorkflowEngine>
  /** Wakes the run that waits for a request in an inbox, if the run belongs to this agent. See `ApprovalsWaking`. */
  readonly wake: (request: WakingRequest) => Effect.Effect<void, never, WorkflowEngine>
}

/** The fields of a decided request that `wake` reads. */
export interface WakingRequest {
  readonly id: string
  readonly turn?: Turn
}

/** Creates an agent with durable runs. Its name is part of the stored state, so it must not change between releases. */
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
      (result): Effect.Effect<DurableState> => {
        if (Option.isNone(result)) return Effect.succeed({ _tag: "Running" })
        if (result.value._tag === "Suspended") return Effect.succeed({ _tag: "Suspended" })
        return Effect.map(result.value.exit, (end) => ({ _tag: "Ended", end }))
      }
    )
  const complete = (workflowId: string, deferredName: string, decision: DurableDecision) => {
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
    decide: (text, decision) => {
      const token = DurableDeferred.Token.make(text)
      const { deferredName } = DurableDeferred.TokenParsed.fromString(token)
      return DurableDeferred.succeed(Waits.deferred(deferredName), { token, value: decision })
    },
    wake: ({ id, turn }) => {
      const run = turn === undefined ? undefined : DurableRun.runOf(name, turn)
      return run === undefined
        ? Effect.void
        : Effect.flatMap(idOf(run), (executionId) => complete(executionId, Waits.requestName(id), { _tag: "AskAgain" }))
    }
  }
}
