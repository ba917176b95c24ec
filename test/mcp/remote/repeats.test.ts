/** Tests how often equal writes of a remote tool are made in one turn. */
import { Guard } from "#src/guard/Guard"
import * as RemoteTool from "#src/mcp/remote/RemoteTool"
import type { RemotePolicy } from "#src/tool/RemotePolicy"
import * as Toolbox from "#src/tool/Toolbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("equal writes of a remote tool", () => {
  const cases: ReadonlyArray<readonly [annotations: object, policy: RemotePolicy, runs: number]> = [
    [{}, {}, 5],
    [{ destructiveHint: false }, {}, 5],
    [{}, { access: "write" }, 5],
    [{ idempotentHint: true }, {}, 1],
    [{ idempotentHint: true }, { repeats: "allowed" }, 5],
    [{}, { repeats: "once" }, 1],
    [{}, { idempotency: "derived" }, 1]
  ]
  for (const [annotations, policy, expected] of cases) {
    const text = `${JSON.stringify(annotations)} and ${JSON.stringify(policy)}`
    it.effect(`4.6 are made ${expected} of 5 times with ${text}`, () => {
      let runs = 0
      const listed = {
        name: "add_item",
        description: "",
        inputSchema: {},
        outputSchema: undefined,
        annotations: { ...annotations },
        raw: {}
      }
      const tool = RemoteTool.make("add_item", listed, { approval: "auto", ...policy }, () =>
        Effect.sync(() => ({ content: [{ type: "text", text: `added as number ${(runs += 1)}` }] }))
      )
      return Effect.gen(function* () {
        const texts = yield* Effect.forEach([1, 2, 3, 4, 5], (n) =>
          Effect.map(
            Toolbox.make(tool).answer({ name: "add_item", arguments: { item: "apple" }, callId: `c${n}` }),
            ({ text }) => JSON.parse(text)
          )
        )
        assert.strictEqual(runs, expected)
        const [, second] = texts
        const isMade = expected === 5
        assert.strictEqual(second.data, `added as number ${isMade ? 2 : 1}`)
        assert.strictEqual(second.executed === false || second._idempotent === true, !isMade)
      }).pipe(Guard.turn, Effect.provide(Guard.layerMemory))
    })
  }
})
