/**
 * Adds faults to the requests of processes to stores, upstreams and the model.
 *
 * **Details**
 *
 * - Every request has a number. A seed decides which requests have a fault, and which fault; a given plan replaces that
 *   decision, so that a failing simulation can be repeated with fewer faults.
 * - A request that was sent is executed, even if its process crashes or pauses in the meantime.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Dice from "./Dice.ts"
import { type Process, start, type World } from "./World.ts"

/** Every kind of fault. Another order would give other faults to every seed. */
export const kinds = [
  "error",
  "delay",
  "crash before",
  "crash after",
  "lost answer",
  "duplicate",
  "clock jump",
  "interruption",
  "pause",
  "second process",
  "shutdown"
] as const
export type Kind = (typeof kinds)[number]

/** Faults by the number of their request. */
export type Plan = ReadonlyMap<number, Kind>

/** The reactions of the simulation to faults that concern more than one request. */
export interface Reactions {
  readonly crash: (process: Process) => void
  readonly interrupt: (process: Process) => void
  /** Starts the run of this process in another process. */
  readonly startSecond: (process: Process) => void
  /** Lets the process drain and end, as after SIGTERM. */
  readonly shutDown: (process: Process) => void
}

/** A request of a process. */
export interface Request<A, E> {
  readonly process: Process
  readonly name: string
  /** The work of the receiver: synchronous, on the clock of the world. */
  readonly work: Effect.Effect<A, E>
  /** The error of a request that failed or whose answer is lost. Absent if the request cannot fail. */
  readonly unavailable?: () => E
  /**
   * True if a slow receiver gets the request immediately and answers late. Otherwise the request itself arrives late.
   */
  readonly isPrompt?: boolean
  /** True if a request that is interrupted before it arrived is not executed, as after a connection was closed. */
  readonly canAbort?: boolean
  /** True if the receiver may get the request twice. */
  readonly mayRepeat?: boolean
  /**
   * An answer that is sent before the work is done, as by a store that does not wait for the disk. The work is lost if
   * the process crashes in the meantime.
   */
  readonly early?: { readonly answer: A }
}

export interface Faults {
  /** Sends a request with its fault, if it has one. */
  readonly send: <A, E>(request: Request<A, E>) => Effect.Effect<A, E>
  /** The faults that happened so far, with the names of their requests. */
  readonly happened: Map<number, { readonly kind: Kind; readonly name: string }>
  /** The number of requests so far. */
  readonly count: () => number
}

/** A seed gives no faults to requests from this number on, so that every simulation can end. */
const lastFault = 400

export const make = (
  world: World,
  seed: number,
  reactions: Reactions,
  plan: Plan | undefined,
  trace: ((line: string) => void) | undefined
): Faults => {
  const rate = Dice.make(seed, "rate").one([0, 0.01, 0.03, 0.08])
  const happened: Faults["happened"] = new Map()
  let count = 0

  const faultOf = (at: number, dice: Dice.Dice): Kind | undefined => {
    const isHit = dice.chance(rate)
    const kind = dice.one(kinds)
    if (plan !== undefined) return plan.get(at)
    return isHit && at < lastFault ? kind : undefined
  }

  const seconds = () => `${((world.now() - start) / 1000).toFixed(3)} s`
  const send = <A, E>(request: Request<A, E>): Effect.Effect<A, E> =>
    Effect.callback((resume) => {
      const { canAbort = false, early, isPrompt = false, mayRepeat = false, name, process, unavailable, work } = request
      let isAborted = false
      const aborted = Effect.sync(() => void (isAborted = canAbort))
      const at = (count += 1)
      const dice = Dice.make(seed, `request ${at}`)
      const kind = faultOf(at, dice)
      if (kind !== undefined) happened.set(at, { kind, name: `${process.name} ${name}` })
      trace?.(`${seconds()} ${at} ${process.name} ${name} ${kind ?? ""}`)
      const there = 1 + dice.next() * 4
      const back = 1 + dice.next() * 4
      const long = 1000 * dice.one([1, 6, 40, 120]) * (0.5 + dice.next())
      const answer = (exit: Effect.Effect<A, E>, millis = back) => world.after(process, millis, () => resume(exit))
      const execute = () => {
        const exit = Effect.runSyncExit(Effect.provideContext(work, world.server))
        trace?.(`${seconds()} ${at} = ${Exit.isSuccess(exit) ? (JSON.stringify(exit.value) ?? "") : String(exit)}`)
        return exit
      }
      const isSlow = kind === "delay" || (kind === "error" && unavailable === undefined)
      /** Executes the request and answers. */
      const arrive = () => {
        if (isAborted) return
        const exit = execute()
        if (kind === "crash after") return reactions.crash(process)
        if (kind === "duplicate" && mayRepeat) world.after(undefined, dice.next() * 1000, () => void execute())
        if (kind === "lost answer" && unavailable !== undefined) return answer(Effect.fail(unavailable()), long)
        answer(exit, isSlow && isPrompt ? long : back)
      }
      const leave = () => world.after(undefined, isSlow && !isPrompt ? long : there, arrive)

      switch (kind) {
        case "crash before":
          reactions.crash(process)
          return aborted
        case "clock jump":
          process.offset += (dice.chance(0.5) ? 1 : -1) * long
          break
        case "interruption":
          world.after(process, dice.next() * 10, () => reactions.interrupt(process))
          break
        case "second process":
          reactions.startSecond(process)
          break
        case "shutdown":
          world.after(process, dice.next() * 10, () => reactions.shutDown(process))
          break
        case "pause":
          world.pause(process, long)
          if (dice.chance(0.5)) break
          world.after(process, 0, leave) // the process pauses before it sends the request
          return aborted
      }
      if (kind === "error" && unavailable !== undefined) answer(Effect.fail(unavailable()))
      else if (early === undefined) leave()
      else {
        world.after(process, 500, () => void execute()) // dropped if the process crashes before
        answer(Effect.succeed(early.answer), there + back)
      }
      return aborted
    })

  return { send, happened, count: () => count }
}
