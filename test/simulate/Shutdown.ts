/**
 * Shuts down processes as after SIGTERM: a process drains, and then ends.
 *
 * When a process starts to drain, a new call is made in it, which the guard must refuse. The drain must end within the
 * grace time and the time for interruptions, unless the process is paused. What still runs then ends with the process.
 */
import * as GracefulShutdown from "#layers/GracefulShutdown"
import { Drain, type ProcessDrain } from "#services/Drain"
import type { Guard } from "#src/guard/Guard"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Sabotage } from "./Sabotage.ts"
import * as Tools from "./Tools.ts"
import type { Process, World } from "./World.ts"

const grace = Duration.seconds(10)

/** The grace time and the time for interruptions, in milliseconds. */
const maxMillis = Duration.toMillis(grace) + 5_000

/** The shutdown of a process. */
export interface Shutdown {
  readonly draining: ProcessDrain
  /** True as soon as the process drains. */
  isStarted: boolean
}

/** Creates the drain of a process. */
export const make = (sabotage: Sabotage | undefined): Shutdown => {
  const draining = Effect.runSync(GracefulShutdown.make({ grace }))
  return {
    draining: sabotage === "no refusals" ? { ...draining, isDraining: () => false, onStart: () => () => {} } : draining,
    isStarted: false
  }
}

interface Options {
  readonly world: World
  readonly process: Process
  readonly shutdown: Shutdown
  /** The services of the guard in the process. */
  readonly services: Context.Context<Guard | Effect.Services<ReturnType<typeof Tools.Plain.call>>>
  /** Reports a condition that does not hold. */
  readonly onViolation: (text: string) => void
  /** Runs when the drain has ended, so that the process ends. */
  readonly onEnd: () => void
}

/** Lets a process drain, and makes a new call in it. */
export const start = ({ onEnd, onViolation, process, services, shutdown, world }: Options): void => {
  if (shutdown.isStarted) return
  shutdown.isStarted = true
  const since = world.now()
  const run = Effect.runForkWith(Context.add(services, Drain, shutdown.draining))
  run(shutdown.draining.drain).addObserver(() => {
    const took = world.now() - since - process.pausedMillis
    if (took > maxMillis + 100) onViolation(`${process.name} drained for ${took} ms`)
    onEnd()
  })
  const action = `call during the shutdown of ${process.name}`
  run(Effect.exit(Effect.flip(Tools.Plain.call({ action })))).addObserver((exit) => {
    const failure = exit._tag === "Success" && exit.value._tag === "Success" ? exit.value.value : undefined
    if (failure?.code !== "shutting_down" || failure.sideEffect !== "none") {
      onViolation(`${action}: was not refused, but ended with ${failure?.code ?? "a result"}`)
    }
  })
}
