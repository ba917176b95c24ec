/** A Redis client whose scripts use the test clock: `TIME` in their source is replaced by the current test time. */
import { Clock, Effect, Layer } from "effect"
import { Redis } from "effect/persistence"

const time = `redis.call("TIME")`

/** Replaces the time in the scripts of a Redis client. */
export const onTestTime: Layer.Layer<Redis.Redis, never, Redis.Redis> = Layer.effect(
  Redis.Redis,
  Effect.map(Redis.Redis, (redis) => ({
    ...redis,
    eval:
      (script) =>
      (...params) =>
        script.lua.includes(time)
          ? Effect.flatMap(Clock.currentTimeMillis, (now) => {
              const lua = script.lua.replaceAll(time, `{"${Math.floor(now / 1000)}", "${(now % 1000) * 1000}"}`)
              const timed: typeof script = Object.assign(Object.create(Object.getPrototypeOf(script)), script, { lua })
              return redis.eval(timed)(...params)
            })
          : redis.eval(script)(...params)
  }))
)
