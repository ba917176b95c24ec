/**
 * Erases a tenant, a conversation, a principal or a turn from idempotency keys and budgets in Redis.
 *
 * **Details**
 *
 * - Keys are found by their names with SCAN, so that other clients are not blocked.
 * - A budget is found by its turn: pass the `turns` that another store has found.
 *
 * **Gotchas**
 *
 * Redis keeps removed keys in its append-only file until it rewrites the file, and in backups.
 */
import { Forget, ForgetUnavailable, type ForgetReport, isOf } from "#services/Forget"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"
import { hash } from "node:crypto"
import { ownerOf, parsed, placeOfCall } from "#layers/internal/stores/StoredOwner"

export interface ForgetRedisOptions {
  /** The prefix of every key. Default `toolguard:`. */
  readonly prefix?: string
}

/** Escapes the characters that have a meaning in a pattern of SCAN. */
const literal = (text: string): string => text.replaceAll(/[\\*?[\]^-]/g, String.raw`\$&`)

/** Removes a key if it has an outcome. A key that was claimed again since it was found is kept. */
const removeScript = Redis.script((key: string) => [key], {
  numberOfKeys: 1,
  lua: `
if redis.call("HEXISTS", KEYS[1], "outcome") == 1 then
  redis.call("DEL", KEYS[1])
  return "removed"
end
return redis.call("EXISTS", KEYS[1]) == 1 and "in flight" or "gone"`
}).withReturnType<"removed" | "in flight" | "gone">()

const ownerOfName = (name: string) => {
  const parts = parsed(name)
  return Array.isArray(parts) && typeof parts[0] === "string" ? ownerOf(parts[0]) : {}
}

const make = (redis: Redis.Redis["Service"], prefix: string) => {
  const { send } = redis
  const removeDone = redis.eval(removeScript)
  const scan = Effect.fnUntraced(function* (start: string) {
    const names = new Set<string>()
    let cursor = "0"
    do {
      const [next, some] = yield* send<readonly [string, ReadonlyArray<string>]>(
        "SCAN",
        cursor,
        "MATCH",
        `${literal(start)}*`,
        "COUNT",
        "500"
      )
      for (const name of some) names.add(name)
      cursor = next
    } while (cursor !== "0")
    return [...names]
  })
  const remove = (names: ReadonlyArray<string>) => Effect.forEach(names, (name) => send("DEL", name), { discard: true })

  return Forget.of({
    forget: Effect.fn("Forget.forget")((scope, { dryRun = false, turns = [] } = {}) =>
      Effect.gen(function* () {
        const start = `${prefix}key:`
        const done: Array<string> = []
        let inFlight = 0
        for (const name of yield* scan(start)) {
          const owner = ownerOfName(name.slice(start.length))
          if (owner.tenant !== scope.tenant) continue
          const [call = null, outcome = null] = yield* send<ReadonlyArray<string | null>>(
            "HMGET",
            name,
            "call",
            "outcome"
          )
          if (!isOf(scope, { ...owner, ...placeOfCall(call ?? "") })) continue
          if (outcome === null) inFlight += 1
          else done.push(name)
        }
        const budgets: Array<string> = []
        for (const turn of turns) {
          const name = `${prefix}budget:{${hash("sha256", turn, "hex")}}`
          if ((yield* send<number>("EXISTS", name)) > 0) budgets.push(name, `${name}:held`)
        }
        let count = done.length
        if (!dryRun) {
          const answers = yield* Effect.forEach(done, (name) => removeDone(name))
          count = answers.filter((answer) => answer === "removed").length
          inFlight += answers.filter((answer) => answer === "in flight").length
          yield* remove(budgets)
        }
        const left: Array<ForgetReport["left"][number]> = [
          {
            store: "budgets in Redis",
            reason:
              "Turns without a record, a request or a journal are stored as digests and cannot be found: they are removed 24 hours after their last attempt."
          },
          {
            store: "Redis disk",
            reason: "Removed keys remain in the append-only file until Redis rewrites it: BGREWRITEAOF."
          }
        ]
        if (inFlight > 0) {
          left.push({
            store: "idempotency keys in Redis",
            reason: `Actions in flight: ${inFlight}. Erase again after they have ended.`
          })
        }
        return {
          removed: [
            { store: "idempotency keys in Redis", count },
            { store: "budgets in Redis", count: budgets.length / 2 }
          ],
          left,
          turns
        }
      }).pipe(Effect.mapError((cause) => new ForgetUnavailable({ cause })))
    )
  })
}

/** Erases from the Redis of the context. */
export const layerWith = ({ prefix = "toolguard:" }: ForgetRedisOptions): Layer.Layer<Forget, never, Redis.Redis> =>
  Layer.effect(
    Forget,
    Effect.map(Redis.Redis, (redis) => make(redis, prefix))
  )

/** Erases from the Redis of the context, with the default prefix. */
export const layer: Layer.Layer<Forget, never, Redis.Redis> = layerWith({})
