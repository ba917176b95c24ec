/**
 * Simulates the upstream of the tools. The upstream counts the effects of each action, outside of the guard.
 *
 * A request to the upstream can be refused, answered late, or lost on its way back. It arrives within the time limit of
 * its attempt, unless the process pauses before it sends the request.
 */
import * as Effect from "effect/Effect"
import * as Dice from "./Dice.ts"
import type { Faults } from "./Faults.ts"
import type { Process, World } from "./World.ts"

/** The start of a handler. */
export interface Start {
  readonly tool: string
  readonly action: string
  readonly process: string
  readonly at: number
}

/** One effect in the outside world. */
export interface PerformedEffect {
  readonly tool: string
  readonly action: string
  readonly at: number
}

export interface Upstream {
  /** Performs an action once for each request, or once for each key if the tool honours keys. */
  readonly act: (
    process: Process,
    tool: string,
    action: string,
    key: string | undefined
  ) => Effect.Effect<boolean, Error>
  /** Returns whether an action was performed. */
  readonly look: (process: Process, action: string) => Effect.Effect<boolean, Error>
  /** The number of effects of an action. */
  readonly count: (action: string) => number
  readonly starts: Array<Start>
  readonly effects: Array<PerformedEffect>
}

/** Returns the error of a failed connection, with a code of Node. */
const broken = (code: string) => Object.assign(new Error(`${code}: the simulated connection failed`), { code })

export const make = (world: World, faults: Faults, seed: number): Upstream => {
  const counts = new Map<string, number>()
  const keys = new Set<string>()
  const starts: Array<Start> = []
  const effects: Array<PerformedEffect> = []
  const count = (action: string) => counts.get(action) ?? 0
  let requests = 0

  return {
    starts,
    effects,
    count,
    look: (process, action) =>
      faults.send({
        process,
        name: `lookup of ${action}`,
        work: Effect.sync(() => count(action) > 0),
        unavailable: () => broken("ECONNRESET")
      }),
    act: (process, tool, action, key) =>
      Effect.suspend(() => {
        starts.push({ tool, action, process: process.name, at: world.now() })
        const dice = Dice.make(seed, `upstream ${(requests += 1)}`)
        if (dice.chance(0.03)) return Effect.fail(broken("ECONNREFUSED"))
        return faults.send({
          process,
          name: `effect ${action}`,
          work: Effect.sync(() => {
            if (key !== undefined && keys.has(key)) return true
            if (key !== undefined) keys.add(key)
            counts.set(action, count(action) + 1)
            effects.push({ tool, action, at: world.now() })
            return true
          }),
          unavailable: () => broken("ECONNRESET"),
          isPrompt: true,
          canAbort: true,
          mayRepeat: key !== undefined
        })
      })
  }
}
