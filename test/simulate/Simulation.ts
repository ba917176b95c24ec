/**
 * Simulates runs of an agent in several processes, with faults, until every run has ended.
 *
 * **Details**
 *
 * - Everything is derived from the seed: the calls of the model, the delays, the faults and the decisions of people.
 * - A host starts each run, and starts it again after a crash, a failure or a decision, as a job queue does.
 * - Nothing waits for real time, and no real process, disk or network is used.
 */
import * as DigestMemory from "#layers/DigestMemory"
import * as Pipeline from "#pipeline/Pipeline"
import { Drain } from "#services/Drain"
import { Guard } from "#src/guard/Guard"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Dice from "./Dice.ts"
import * as Faults from "./Faults.ts"
import * as Invariants from "./Invariants.ts"
import * as Job from "./Job.ts"
import * as People from "./People.ts"
import type { Sabotage } from "./Sabotage.ts"
import * as Shutdown from "./Shutdown.ts"
import * as SimulatedModel from "./SimulatedModel.ts"
import * as Stores from "./Stores.ts"
import * as Tools from "./Tools.ts"
import * as Upstream from "./Upstream.ts"
import * as World from "./World.ts"

/** The options of a simulation. */
export interface Options {
  readonly seed: number
  /** Replaces the faults that the seed decides. */
  readonly plan?: Faults.Plan
  /** The maximum number of runs. Default 2. */
  readonly runs?: number
  /** The maximum number of answers of the model that have calls. Default 4. */
  readonly rounds?: number
  /** A deliberate defect. */
  readonly sabotage?: Sabotage
  /** Receives a line for each request. */
  readonly trace?: (line: string) => void
}

/** The result of a simulation. */
export interface Result {
  readonly violations: ReadonlyArray<string>
  /** The faults that happened, by the number of their request. */
  readonly faults: Faults.Faults["happened"]
  /** The number of requests, effects, starts of runs and decisions of people. */
  readonly requests: number
  readonly effects: number
  readonly starts: number
  readonly decisions: number
}

const limits: World.Limits = { millis: 7 * 24 * 3_600_000, events: 200_000 }

const withoutClaim = Guard.layerOf(Pipeline.remove("claim")(Pipeline.stages))

export const simulate = ({ plan, rounds = 4, runs = 2, sabotage, seed, trace }: Options): Result => {
  const world = World.make(seed)
  const stores = Stores.make(world)
  const dice = Dice.make(seed, "host")
  const jobs = Array.from({ length: Math.min(runs, dice.between(1, 2)) }, (_, index) =>
    Job.make(`run${index}`, "acme", index === 0 ? "alice" : "bob")
  )
  const workers: Array<Job.Worker> = []
  /** The conditions of shutdowns that did not hold. */
  const violations: Array<string> = []
  const jobsOf = (process: World.Process) => jobs.filter(({ running }) => running.has(process))

  const end = (process: World.Process, delays: ReadonlyArray<number>) => {
    world.crash(process)
    for (const job of jobsOf(process)) {
      job.running.delete(process)
      startLater(job, dice.one(delays))
    }
  }

  const faults = Faults.make(
    world,
    seed,
    {
      crash: (process) => end(process, [5, 1000, 40_000]),
      interrupt: (process) => {
        for (const { running } of jobsOf(process)) {
          const stop = running.get(process)
          if (stop !== undefined) Effect.runSync(Deferred.succeed(stop, undefined))
        }
      },
      startSecond: (process) => {
        for (const job of jobsOf(process)) world.after(undefined, 10, () => start(job, true))
      },
      shutDown: (process) => {
        const worker = workers.find((worker) => worker.process === process)
        if (worker === undefined) return
        const onViolation = (text: string) => void violations.push(text)
        Shutdown.start({ world, ...worker, onViolation, onEnd: () => end(process, [5]) })
      }
    },
    plan,
    trace
  )
  const upstream = Upstream.make(world, faults, seed)
  const people = People.attend(world, stores, upstream, Dice.make(seed, "people"))

  const spawn = (): Job.Worker => {
    const process = world.spawn(`p${workers.length}`, Dice.make(seed, `process ${workers.length}`))
    const guard = sabotage === "no claim" ? withoutClaim : Guard.layer
    const layers = Layer.mergeAll(guard, Tools.layer(process, upstream)).pipe(
      Layer.provideMerge(Stores.escalation),
      Layer.provideMerge(Stores.viewOf(process, stores, faults, sabotage)),
      Layer.provideMerge(DigestMemory.layer),
      Layer.provide(Guard.memory),
      Layer.provideMerge(Logger.layer([]))
    )
    const shutdown = Shutdown.make(sabotage)
    const context = Context.add(process.context, Drain, shutdown.draining)
    const services = Effect.runSync(Effect.provideContext(Layer.buildWithScope(layers, Scope.makeUnsafe()), context))
    const worker: Job.Worker = { process, services: Context.merge(context, services), shutdown }
    workers.push(worker)
    return worker
  }

  let answers = 0
  /** Counts the requests to the model. A process that drains must make none. */
  const next = ({ process, shutdown }: Job.Worker) => {
    if (shutdown.isStarted) violations.push(`${process.name} asked the model while it drained`)
    return (answers += 1)
  }
  /** Checks that a run that stopped in a process that drains can be resumed immediately. */
  const checkLease = (job: Job.Job, process: World.Process) => {
    const stored = Effect.runSync(Effect.provideContext(Effect.orDie(stores.checkpoints.list), world.server))
    const isHeld = stored.some(({ isInUse, run }) => run === job.run && isInUse)
    if (isHeld && stores.holders.get(job.run) === process.name) {
      violations.push(`${job.run} stopped because ${process.name} drained, and its lease was not given back`)
    }
  }
  /** Starts the run in a process that is running, or in a new process. */
  const start = (job: Job.Job, isSecond = false): void => {
    if (job.end !== undefined) return
    // a host that does not know yet that a process drains still sends runs to it
    const mayDrain = dice.chance(0.1)
    const free = workers.filter(
      ({ process, shutdown }) => !process.isDead && !job.running.has(process) && (mayDrain || !shutdown.isStarted)
    )
    const worker = free.length > 0 && dice.chance(isSecond ? 0.3 : 0.7) ? dice.one(free) : spawn()
    const model = SimulatedModel.layer(
      { next: () => next(worker), process: worker.process, run: job.run, seed, rounds },
      faults
    )
    Job.execute(job, worker, model, (end) => {
      const isDrained = worker.shutdown.isStarted && end?._tag === "Interrupted"
      if (isDrained) checkLease(job, worker.process)
      if (job.end === undefined) startLater(job, isDrained ? 5 : job.isWaiting ? 20 * 60_000 : 5000)
    })
  }
  const startLater = (job: Job.Job, millis: number): void =>
    world.after(undefined, millis * (0.5 + dice.next()), () => start(job))

  for (const job of jobs) startLater(job, 1)
  const isOver = () => jobs.every(({ end }) => end !== undefined)
  const reason = world.runUntil(isOver, limits)
  // requests that were sent before the end may still arrive, and requests to people expire after 24 hours
  world.runUntil(() => false, { ...limits, millis: world.now() - World.start + 25 * 3_600_000 })
  const seen: Invariants.Observation = { jobs, stores, upstream, world, people }
  return {
    violations: [
      ...(reason === "done" ? [] : Invariants.unfinished(seen, reason)),
      ...Invariants.check(seen),
      ...violations
    ],
    faults: faults.happened,
    requests: faults.count(),
    effects: upstream.effects.length,
    starts: jobs.reduce((sum, { starts }) => sum + starts, 0),
    decisions: people.count()
  }
}
