/** Tests how often equal writes of a remote tool are made in one turn, and how policies of patterns combine. */
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

describe("policies of several patterns", () => {
  /** Returns fields of a tool with these policies, as `describe` shows them. */
  const fieldsOf = (policies: Readonly<Record<string, RemotePolicy>>, annotations: object, ...names: Array<string>) => {
    RemoteTool.checkPolicies(policies)
    const listed = {
      name: "act",
      description: "",
      inputSchema: {},
      outputSchema: undefined,
      annotations: { ...annotations },
      raw: {}
    }
    const tool = RemoteTool.make("act", listed, RemoteTool.policyOf(policies, "act"), () =>
      Effect.succeed({ content: [] })
    )
    return Effect.map(Toolbox.describe(Toolbox.make(tool)), ([description]) =>
      names.map((name) => description?.fields.find(({ field }) => field === name)?.value)
    )
  }
  const reading = { readOnlyHint: true }
  const poll = { interval: "1 second", deadline: "1 minute", until: { path: "status", in: ["done"] } } as const

  it.effect(
    "2.12 if the budget of one pattern is below the attempts of another, the more specific pattern sets both",
    () =>
      Effect.gen(function* () {
        const three = { retry: { attempts: 3 } }
        const both = ["budget", "retry.attempts"]
        assert.deepStrictEqual(yield* fieldsOf({ "*": three, act: { budget: 2 } }, reading, ...both), [2, 2])
        assert.deepStrictEqual(yield* fieldsOf({ act: three, "*": { budget: 2 } }, reading, ...both), [3, 3])
        assert.deepStrictEqual(yield* fieldsOf({ "*": { budget: 2 } }, reading, ...both), [2, 2])
      }).pipe(Effect.provide(Guard.layerMemory))
  )

  it.effect("2.12 settings of a pattern that have no effect on a tool are omitted for this tool", () =>
    Effect.gen(function* () {
      const shared = { loop: { repeats: 3, cycles: 4 }, repeats: "allowed" } as const
      const names = ["repeats", "loop.repeats", "loop.cycles"]
      assert.deepStrictEqual(yield* fieldsOf({ "*": shared }, reading, ...names), [null, null, 4])
      assert.deepStrictEqual(yield* fieldsOf({ "*": shared }, {}, ...names), ["allowed", 3, 4])
      const once = { "*": { loop: { repeats: 3 } } }
      assert.deepStrictEqual(yield* fieldsOf(once, {}, ...names), ["allowed", 3, 3])
      assert.deepStrictEqual(yield* fieldsOf(once, { idempotentHint: true }, ...names), ["once", null, 3])
      assert.deepStrictEqual(
        yield* fieldsOf({ "*": { ...once["*"], repeats: "allowed" }, act: { repeats: "once" } }, {}, ...names),
        ["once", null, 3]
      )
      const polled = { "*": { idempotency: "derived", repeats: "once" }, act: { access: "write", poll } } as const
      assert.deepStrictEqual(yield* fieldsOf(polled, {}, "idempotency.mode", "repeats"), ["none", null])
    }).pipe(Effect.provide(Guard.layerMemory))
  )
})
