import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { define, handled, outside, start } from "../pipeline/support.ts"

describe("load", () => {
  it.live(
    "4.9 of 100,000 calls of two tools and 1,000 tenants that wait for slots, each is answered once",
    () => {
      const many = 100_000
      const gate = Deferred.makeUnsafe<void>()
      const answered = new Map<number, number>()
      // these deadlines are too long to pass during the test
      const toolOf = (name: string) => define(name, { timeout: "30 minutes", deadline: "1 hour" })
      const [read, other] = [toolOf("read"), toolOf("other")]
      const answer = ({ q }: { readonly q: string }) =>
        Number(q) < 32
          ? Effect.as(Deferred.await(gate), { n: Number(q) })
          : Effect.sync(() => {
              answered.set(Number(q), (answered.get(Number(q)) ?? 0) + 1)
              return { n: Number(q) }
            })
      return Effect.gen(function* () {
        const fibers = yield* Effect.forEach(
          Array.from({ length: many }, (_, n) => n),
          (n) =>
            start(
              Guard.turn((n % 2 === 0 ? read : other).call({ q: String(n) }), {
                conversation: `conversation ${n}`,
                tenant: `tenant ${n % 1_000}`
              })
            )
        )
        yield* Deferred.succeed(gate, undefined)
        const values = yield* Fiber.joinAll(fibers)
        assert.deepStrictEqual(
          values,
          Array.from({ length: many }, (_, n) => ({ n }))
        )
        assert.strictEqual(answered.size, many - 32)
        assert.isTrue([...answered.values()].every((times) => times === 1))
      }).pipe(outside([handled(read, answer), handled(other, answer)]))
    },
    300_000
  )
})
