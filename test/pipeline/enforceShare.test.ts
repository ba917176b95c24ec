/**
 * Tests that a tool with a share enforces its contract in that share of conversations, and only advises in the others.
 *
 * A share of 0.1 contains the conversation c-2, a share of 0.3 also c-4, and a share of 0.6 also c-1.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric, Schema } from "effect"
import * as Verdict from "#domain/tool/Verdict"
import type { Turn } from "#domain/turn/Turn"
import * as CallLogMemory from "#layers/CallLogMemory"
import { CallLog } from "#services/CallLog"
import { ToolPolicy } from "#services/Policies"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { ask, outside, settled, type Tool, tool, within } from "./support.ts"

const logged = () => Guard.layerMemoryWith(CallLogMemory.layerWith({ keep: "full" }))

const conversations = ["c-1", "c-2", "c-3", "c-4"] as const

const turnIn = (conversation: string): Partial<Turn> => ({ conversation, turn: "t" })

/** Returns the code of the failure that the model reads, or "success". */
const codeOf = ({ envelope }: { readonly envelope: any }): string => envelope.error?.code ?? envelope.status

const lastRecord = Effect.flatMap(CallLog, (log) => Effect.map(log.records, (records) => records.at(-1)!))

/** Makes a call with valid arguments and a result that violates the contract in a conversation. */
const wrongIn = (conversation: string, definition: object, guard: Layer.Layer<any> = Guard.layerMemory) => {
  const { layer, tool: own } = tool("read_order", definition, '{"n":"three"}')
  return Effect.map(ask([own], "read_order", '{"q":"a"}'), codeOf).pipe(within([layer], guard, turnIn(conversation)))
}

const inAll = (definition: object) => Effect.forEach(conversations, (id) => wrongIn(id, definition))

describe("enforce: { share }", () => {
  it.effect(
    "2.2 enforces results, arguments and checks in the selected conversations only, and records the side",
    () => {
      const checks = { rising: () => Verdict.garbage({ code: "not_rising", detail: "It falls." }) }
      const broken = () => {
        throw new Error("the check is broken")
      }
      const cases = [
        [{ checks: { broken } }, '{"q":"a"}', { n: 3 }, "tool_crashed"],
        [{}, '{"q":"a"}', '{"n":"three"}', "invalid_result"],
        [{}, '{"q":7}', { n: 3 }, "invalid_arguments"],
        [{ checks }, '{"q":"a"}', { n: 3 }, "not_rising"]
      ] as const
      return Effect.forEach(cases, ([definition, args, answer, code]) =>
        Effect.forEach(conversations, (conversation) => {
          const own = tool("read_order", { ...definition, enforce: { share: 0.3 } }, answer)
          const isEnforced = conversation === "c-2" || conversation === "c-4"
          return Effect.gen(function* () {
            assert.strictEqual(codeOf(yield* ask([own.tool], "read_order", args)), isEnforced ? code : "success")
            const { enforcement, notEnforced, outcome } = yield* lastRecord
            assert.deepStrictEqual<unknown>(
              [enforcement, outcome._tag, notEnforced?.map((failure) => failure.code)],
              isEnforced ? ["enforce", "Failure", undefined] : ["advise", "Success", [code]]
            )
            assert.strictEqual(own.runs(), isEnforced && code === "invalid_arguments" ? 0 : 1)
          }).pipe(within([own.layer], logged(), turnIn(conversation)))
        })
      )
    }
  )

  it.effect("2.2 a larger share keeps the conversations of a smaller one", () =>
    Effect.gen(function* () {
      const [failed, passed] = ["invalid_result", "success"]
      assert.deepStrictEqual(yield* inAll({ enforce: { share: 0 } }), [passed, passed, passed, passed])
      assert.deepStrictEqual(yield* inAll({ enforce: { share: 0.1 } }), [passed, failed, passed, passed])
      assert.deepStrictEqual(yield* inAll({ enforce: { share: 0.3 } }), [passed, failed, passed, failed])
      assert.deepStrictEqual(yield* inAll({ enforce: { share: 0.6 } }), [failed, failed, passed, failed])
      assert.deepStrictEqual(yield* inAll({ enforce: { share: 1 } }), [failed, failed, failed, failed])
    })
  )

  it.effect("2.2 the side of a conversation is the same for all its turns, tools and processes", () => {
    const one = tool("read_order", { enforce: { share: 0.3 } }, '{"n":"three"}')
    const two = tool("read_stock", { enforce: { share: 0.3 } }, '{"n":"four"}')
    const sidesIn = (conversation: string) =>
      Effect.forEach(["t1", "t2"], (turn) =>
        Effect.forEach([one, two], (own) => ask([own.tool], own.tool.toolName, '{"q":"a"}')).pipe(
          Effect.map((answers) => answers.map(codeOf)),
          // each turn has a separate guard, as another process has
          within([one.layer, two.layer], Guard.layerMemory, { conversation, turn })
        )
      )
    return Effect.gen(function* () {
      const [failed, passed] = ["invalid_result", "success"]
      assert.deepStrictEqual(yield* sidesIn("c-2"), [
        [failed, failed],
        [failed, failed]
      ])
      assert.deepStrictEqual(yield* sidesIn("c-3"), [
        [passed, passed],
        [passed, passed]
      ])
    })
  })

  it.effect("2.2 a call without a conversation is advised unless the share is 1, and has no side", () => {
    const callWith = (share: number, around: typeof outside) => {
      const own = tool("read_order", { enforce: { share } }, '{"n":"three"}')
      return Effect.gen(function* () {
        const code = codeOf(yield* ask([own.tool], "read_order", '{"q":"a"}'))
        return [code, (yield* lastRecord).enforcement]
      }).pipe(around([own.layer], logged()))
    }
    return Effect.gen(function* () {
      const unnamed: typeof outside = (layers, guard) => within(layers, guard, { turn: "t" })
      for (const around of [outside, unnamed]) {
        assert.deepStrictEqual(yield* callWith(0.999, around), ["success", undefined])
        assert.deepStrictEqual(yield* callWith(1, around), ["invalid_result", undefined])
      }
    })
  })

  it.effect("2.2 the session of an MCP client is a conversation", () => {
    const own = tool("read_order", { enforce: { share: 0 } }, '{"n":"three"}')
    return Effect.gen(function* () {
      assert.strictEqual(codeOf(yield* ask([own.tool], "read_order", '{"q":"a"}')), "success")
      assert.strictEqual((yield* lastRecord).enforcement, "advise")
    }).pipe(within([own.layer], logged(), { isSession: true }))
  })

  it.effect("2.11 a toolbox, a use site, a guard and a caller may set a share, and the nearest of them applies", () => {
    const share = { enforce: { share: 0.3 } }
    const own = tool("read_order", {}, '{"n":"three"}')
    const enforcing = tool("read_order", { enforce: "enforce" }, '{"n":"three"}')
    const statusIn = (conversation: string, box: Toolbox.Toolbox<any>, guard: Layer.Layer<any> = Guard.layerMemory) =>
      box
        .answer({ name: "read_order", arguments: { q: "a" }, callId: "c" })
        .pipe(Effect.map(({ isFailure }) => isFailure))
        .pipe(within([own.layer, enforcing.layer], guard, turnIn(conversation)))
    const sides = (of: (conversation: string) => Effect.Effect<boolean>) => Effect.all([of("c-2"), of("c-3")])
    return Effect.gen(function* () {
      const box = Toolbox.make(own.tool)
      const policy = Layer.succeed(ToolPolicy, share)
      const used = own.tool.pipe(GuardedTool.policy(share)) as Tool
      for (const of of [
        (id: string) => statusIn(id, Toolbox.policy(share)(box)),
        (id: string) => statusIn(id, Toolbox.make(used)),
        (id: string) => statusIn(id, box, Guard.layerMemory.pipe(Layer.provide(policy))),
        (id: string) => Effect.provideService(statusIn(id, box), ToolPolicy, share),
        (id: string) => statusIn(id, Toolbox.policy({ enforce: { share: 1 } })(Toolbox.make(used)))
      ])
        assert.deepStrictEqual(yield* sides(of), [true, false])
      const nearer = Toolbox.policy(share)(Toolbox.make(enforcing.tool))
      assert.deepStrictEqual(yield* sides((id) => statusIn(id, nearer)), [true, true])
      const nearest = Toolbox.make(used.pipe(GuardedTool.policy({ enforce: "advise" })) as Tool)
      assert.deepStrictEqual(yield* sides((id) => statusIn(id, nearest)), [false, false])
    })
  })

  it.effect("2.2 a program's call gets the verdict of a check in the selected conversations only", () => {
    const checks = { rising: () => Verdict.garbage({ code: "not_rising", detail: "It falls." }) }
    const own = tool("read_order", { checks, enforce: { share: 0.3 } }, { n: 3 })
    const endIn = (conversation: string) =>
      settled(own.tool.call({ q: "a" })).pipe(within([own.layer], Guard.layerMemory, turnIn(conversation)))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* endIn("c-2"), ["SemanticGarbage", "not_rising", "none"])
      assert.deepStrictEqual(yield* endIn("c-3"), { n: 3 })
    })
  })

  it.effect("2.2 an answer in the shape of an incomplete result is one in the selected conversations only", () => {
    const answer = { status: "partial", data: { n: 3 } }
    const own = tool("read_order", { enforce: { share: 0.3 } }, JSON.stringify(answer))
    const envelopeIn = (conversation: string) =>
      ask([own.tool], "read_order", '{"q":"a"}').pipe(
        Effect.map(({ envelope }) => [envelope.status, envelope.data]),
        within([own.layer], Guard.layerMemory, turnIn(conversation))
      )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* envelopeIn("c-2"), ["partial", { n: 3 }])
      assert.deepStrictEqual(yield* envelopeIn("c-3"), ["success", answer])
    })
  })

  it.effect("2.2 a program's call in an advised conversation still fails if its result violates `success`", () => {
    const own = tool("read_order", { enforce: { share: 0 } }, '{"n":"three"}')
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(own.tool.call({ q: "a" })), ["SchemaMismatch", "invalid_result", "none"])
      assert.strictEqual((yield* lastRecord).enforcement, "advise")
    }).pipe(within([own.layer], logged(), turnIn("c-2")))
  })

  it("2.12 an invalid share is refused when the tool is defined", () => {
    for (const share of [-0.1, 1.5, Number.NaN, "0.1", null, undefined])
      assert.throws(() => tool("read_order", { enforce: { share } }), RangeError, /`enforce\.share` is /)
  })

  it("2.12 a share that is changed after the definition has no effect", () => {
    const enforce = { share: 0 }
    const own = tool("read_order", { enforce }, '{"n":"three"}')
    enforce.share = 1
    return Effect.runPromise(
      Effect.map(ask([own.tool], "read_order", '{"q":"a"}'), codeOf).pipe(
        within([own.layer], Guard.layerMemory, turnIn("c-2"))
      )
    ).then((code) => assert.strictEqual(code, "success"))
  })

  it.effect(
    "15.1 calls and failures are counted by side, and only those of conversations and of tools with a share",
    () => {
      const sharing = tool("read_order", { enforce: { share: 0.3 } }, '{"n":"three"}')
      const advising = tool("read_stock", { enforce: "advise", success: Schema.Struct({ n: Schema.Int }) }, '{"n":"x"}')
      const both = Effect.forEach([sharing, advising], (own) => ask([own.tool], own.tool.toolName, '{"q":"a"}'))
      return Effect.gen(function* () {
        for (const conversation of conversations) {
          yield* both.pipe(within([sharing.layer, advising.layer], Guard.layerMemory, turnIn(conversation)))
        }
        yield* both.pipe(outside([sharing.layer, advising.layer]))
        const counted = (yield* Metric.snapshot).flatMap(({ attributes, id, state }) =>
          id.startsWith("effect_toolguard.rollout")
            ? [
                [
                  id.replace("effect_toolguard.rollout_", ""),
                  attributes?.["gen_ai.tool.name"],
                  attributes?.["effect_toolguard.enforcement"],
                  (state as { readonly count: number }).count
                ].join(" ")
              ]
            : []
        )
        assert.deepStrictEqual(counted.toSorted(), [
          "calls read_order advise 2",
          "calls read_order enforce 2",
          "failures read_order enforce 2"
        ])
      }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
    }
  )
})
