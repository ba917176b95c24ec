/**
 * A real Redis in virtual time.
 *
 * **Details**
 *
 * - The scripts get the virtual time as an argument in place of `TIME`. A reply arrives a virtual millisecond after its
 *   command was sent. Virtual time waits while the real reply is not there.
 * - Only the expiry of keys is not virtual: it takes hours of real time, and no storm needs it.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Redis from "effect/persistence/Redis"
import type * as World from "../simulate/World.ts"

type Service = Redis.Redis["Service"]

/** The replies to all processes of a world. */
export interface Replies {
  /** True while a reply is missing that should have arrived. Virtual time must then wait for `caughtUp`. */
  readonly isBehind: () => boolean
  readonly caughtUp: () => Promise<void>
  /** Returns the Redis of a process. */
  readonly of: (redis: Service, process: World.Process) => Service
}

const latencyMillis = 1

export const make = (world: World.World): Replies => {
  const missing = new Set<Promise<void>>()
  return {
    isBehind: () => missing.size > 0,
    caughtUp: async () => void (await Promise.all(missing)),
    of: (redis, process) => ({
      ...redis,
      eval: (script) => {
        const run = redis.eval(timed(script, world))
        return (...params) =>
          Effect.callback((resume) => {
            let received: Exit.Exit<any, Redis.RedisError> | undefined
            const reply = Effect.runPromiseExit(run(...params)).then((exit) => (received = exit))
            world.after(process, latencyMillis, () => {
              if (received !== undefined) return resume(received)
              const late: Promise<void> = reply.then((exit) => {
                missing.delete(late)
                resume(exit)
              })
              missing.add(late)
            })
          })
      }
    })
  }
}

/** Returns the script with the virtual time as its last two arguments. */
const timed = <Config extends { readonly params: ReadonlyArray<unknown>; readonly result: unknown }>(
  script: Redis.Script<Config>,
  world: World.World
): Redis.Script<Config> => {
  const lua = script.lua.replaceAll(`redis.call("TIME")`, "{ARGV[#ARGV - 1], ARGV[#ARGV]}")
  const params = (...args: Config["params"]) => {
    const now = world.now()
    return [...script.params(...args), Math.floor(now / 1_000), Math.floor((now % 1_000) * 1_000)]
  }
  return Object.assign(Object.create(Object.getPrototypeOf(script)), script, { lua, params })
}
