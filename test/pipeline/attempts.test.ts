/** Tests which side effect the calls of a turn report if their attempts prove different side effects. */
import * as GuardedTool from "#src/tool/GuardedTool"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { ask, brief, complete, response, tool, within } from "./support.ts"

/** The side effect that one attempt proves, and its answer. */
const attempts = {
  "500": ["unknown", response(500, "oops")],
  "404": ["none", response(404, "")],
  "503 with Retry-After": ["none", response(503, "", { "retry-after": "1" })],
  nothingDone: ["none", Effect.fail(GuardedTool.nothingDone(new Error("ECONNRESET")))],
  "nothingDone, transient": ["none", Effect.fail(GuardedTool.nothingDone({ status: 502, message: "x" }))],
  reset: ["unknown", Effect.fail(Object.assign(new Error("x"), { code: "ECONNRESET" }))],
  done: ["committed", Effect.fail(GuardedTool.done({ status: 502, message: "x" }))]
} as const
type Attempt = keyof typeof attempts
const names = Object.keys(attempts) as ReadonlyArray<Attempt>

const policies = () => {
  const lookup = tool("find_it", { retry: { attempts: 1 } }, Effect.fail(new Error("down")))
  const reconcile = { tool: lookup.tool, arguments: () => ({ q: "a" }), found: Option.some }
  const honoured = { idempotency: { mode: "derived" as const, upstreamHonoursKey: true }, retry: { jitter: "none" } }
  return [
    ["none", {}, []],
    ["repeats allowed", { idempotency: "none", repeats: "allowed" }, []],
    ["an honoured key", honoured, []],
    ["a lookup that fails", { reconcile }, [lookup.layer]],
    ["an honoured key and a lookup that fails", { ...honoured, reconcile }, [lookup.layer]]
  ] as const
}

describe("the attempts of identical calls in a turn", () => {
  for (const [name, policy, layers] of policies()) {
    for (const first of names) {
      for (const second of names) {
        it.effect(
          `3.3 a write with the policy "${name}" reports the most severe effect so far after ${first}, then ${second}`,
          () => {
            const write = tool("write_it", { access: "write", ...policy }, attempts[first][1], attempts[second][1])
            const effects = [attempts[first][0], attempts[second][0], attempts[second][0], attempts[second][0]]
            return Effect.gen(function* () {
              for (const round of [1, 2, 3]) {
                const { outcome } = yield* complete(ask([write.tool], "write_it", '{"q":"a"}', { round }))
                const made = new Set<string>(effects.slice(0, write.runs()))
                const mostSevere = made.has("committed") ? "committed" : made.has("unknown") ? "unknown" : "none"
                if (outcome._tag === "Success") assert.fail("succeeded")
                else
                  assert.strictEqual(
                    outcome.failure.sideEffect,
                    mostSevere,
                    brief(outcome.failure).join() + write.runs()
                  )
              }
            }).pipe(within([write.layer, ...layers]))
          }
        )
      }
    }
  }
})
