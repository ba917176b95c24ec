/** Executes a run of the agent, in one process after another until the run ends. */
import * as Agent from "#src/agent/Agent"
import type { AgentEnd } from "#src/agent/AgentEnd"
import { CheckpointRefused } from "#services/Checkpoints"
import type { LanguageModel } from "effect/ai/LanguageModel"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import type * as Shutdown from "./Shutdown.ts"
import * as Tools from "./Tools.ts"
import type { Process } from "./World.ts"

/** The services that a run requires, except its model. */
type Needs = Exclude<Effect.Services<ReturnType<typeof start>>, LanguageModel>

/** A process with the services of its guard. */
export interface Worker {
  readonly process: Process
  readonly services: Context.Context<Needs>
  readonly shutdown: Shutdown.Shutdown
}

/** The request for a run, and its state as the host sees it. */
export interface Job {
  readonly run: string
  readonly tenant: string
  readonly principal: string
  /** The processes that execute the run now, each with the deferred that stops it. The lease must allow only one. */
  readonly running: Map<Process, Deferred.Deferred<void>>
  /** True if the last end was neither final nor `Interrupted`, so only `Agent.resume` continues the run. */
  isWaiting: boolean
  /** How often the run was started or resumed. */
  starts: number
  /** The final end. */
  end: AgentEnd | undefined
  /** The ends and errors of all executions. */
  readonly log: Array<string>
  /** Exceptions of the guard. There must be none. */
  readonly defects: Array<string>
}

export const make = (run: string, tenant: string, principal: string): Job => ({
  run,
  tenant,
  principal,
  running: new Map(),
  isWaiting: false,
  starts: 0,
  end: undefined,
  log: [],
  defects: []
})

const start = ({ isWaiting, principal, run, tenant }: Job, stop: Deferred.Deferred<void>) => {
  const options = { run, tools: Tools.toolbox, interruptWhen: Deferred.await(stop), maxRounds: 30 } as const
  return isWaiting
    ? Agent.resume({ ...options, tenant, principal })
    : Agent.checkpointed({ ...options, prompt: "Do it.", turn: { tenant, principal, conversation: run, turn: run } })
}

const isFinal = ({ _tag }: AgentEnd): boolean => _tag === "Answered" || _tag === "Refused"

const note = (job: Job, { shutdown }: Worker, exit: Exit.Exit<AgentEnd, unknown>): void => {
  if (Exit.isSuccess(exit)) {
    const end = exit.value
    job.log.push(end._tag)
    if (isFinal(end)) job.end = end
    else job.isWaiting = end._tag !== "Interrupted"
    return
  }
  const error = Cause.squash(exit.cause)
  job.log.push(String(error))
  // a drain interrupts runs that exceed its grace time
  if (shutdown.isStarted && Cause.hasInterruptsOnly(exit.cause)) return
  const isExpected = error instanceof CheckpointRefused ? error.reason === "in_use" : Cause.hasFails(exit.cause)
  if (!isExpected) job.defects.push(Cause.pretty(exit.cause))
}

/**
 * Executes the run in a process. Calls `onEnd` when the execution has ended, unless the process has crashed: with its
 * end, or with undefined if the execution failed.
 */
export const execute = (
  job: Job,
  worker: Worker,
  model: Layer.Layer<LanguageModel>,
  onEnd: (end: AgentEnd | undefined) => void
): void => {
  if (job.running.has(worker.process)) return
  const stop = Deferred.makeUnsafe<void>()
  job.running.set(worker.process, stop)
  job.starts += 1
  const fiber = Effect.runForkWith(worker.services)(Effect.provide(start(job, stop), model))
  fiber.addObserver((exit) => {
    job.running.delete(worker.process)
    note(job, worker, exit)
    onEnd(Exit.isSuccess(exit) ? exit.value : undefined)
  })
}
