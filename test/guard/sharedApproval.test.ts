/** Tests approvals that a guard, a toolbox, a use site and the code around a call set, alone and together. */
import * as Approval from "#domain/tool/Approval"
import type { Level } from "#domain/tool/EscalationPolicy"
import type { SharedPolicy } from "#domain/tool/PolicyInput"
import type { SharedApproval } from "#domain/tool/Approval"
import { weaken } from "#domain/tool/PolicyWeakening"
import { EscalationPolicy, ToolPolicy } from "#services/Policies"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { brief, handled, type Tool, define, within } from "../pipeline/support.ts"

const boxOf: (...tools: ReadonlyArray<Tool>) => Toolbox.Toolbox<Tool> = Toolbox.make

/** The approvals of one call, by where they are set. */
interface Settings {
  readonly access?: "read" | "write" | "destructive"
  readonly escalation?: Level
  readonly guard?: SharedApproval
  readonly toolbox?: SharedApproval
  readonly tool?: unknown
  readonly useSite?: SharedApproval
  readonly call?: SharedApproval
}

const given = (approval: SharedApproval | undefined): SharedPolicy => (approval === undefined ? {} : { approval })

/** Calls a tool with these approvals. Returns `runs` or a code, and the value and origin that `describe` reports. */
const outcomeOf = ({ access = "write", call, escalation, guard, tool, toolbox, useSite }: Settings) => {
  const defined = define("save_it", { access, ...(tool === undefined ? {} : { approval: tool }) })
  const box = Toolbox.policy(given(toolbox))(boxOf(defined.pipe(GuardedTool.policy(given(useSite)))))
  const layer = Guard.layerMemory.pipe(
    Layer.provide(Layer.succeed(ToolPolicy, given(guard))),
    Layer.provide(escalation === undefined ? Layer.empty : Layer.succeed(EscalationPolicy, () => escalation))
  )
  const around = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, ToolPolicy, given(call))
  return Effect.gen(function* () {
    const answer = yield* around(box.answer({ name: "save_it", arguments: { q: "a" }, callId: "call" }))
    const [described] = yield* around(Toolbox.describe(box))
    const field = described?.fields.find(({ field }) => field === "approval")
    const { outcome } = answer
    return [outcome._tag === "Success" ? "runs" : brief(outcome.failure)[1], field?.value, field?.origin]
  }).pipe(within([handled(defined, () => Effect.succeed({ n: 1 }))], layer))
}

const sources = ["guard", "toolbox", "useSite", "call"] as const
const shown = { guard: "guard", toolbox: "toolbox", useSite: "use site", call: "use site" } as const

const loose = weaken(() => Approval.auto)

describe("an approval for several tools", () => {
  for (const source of sources) {
    it.effect(`2.11 of the ${source} asks a person about a call that its tool would run, and is described`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* outcomeOf({ [source]: "confirm" }), ["no_person", "confirm", shown[source]])
        assert.deepStrictEqual(yield* outcomeOf({ [source]: "confirm", tool: "auto" }), [
          "no_person",
          "confirm",
          shown[source]
        ])
        assert.deepStrictEqual(yield* outcomeOf({ [source]: "auto" }), ["runs", "auto", shown[source]])
      })
    )

    it.effect(`2.11 of the ${source} does not loosen a destructive tool, a stricter tool or a stricter policy`, () =>
      Effect.gen(function* () {
        const destructive = yield* outcomeOf({ [source]: "auto", access: "destructive" })
        assert.deepStrictEqual(destructive, ["no_person", "confirm", "default"])
        assert.deepStrictEqual(yield* outcomeOf({ [source]: "auto", tool: "confirm" }), [
          "no_person",
          "confirm",
          "tool"
        ])
        const configured = yield* outcomeOf({ [source]: "auto", escalation: "block" })
        assert.deepStrictEqual(configured, ["no_person", "block", "guard"])
      })
    )

    it.effect(
      `2.11 of the ${source} that is marked by \`weaken\` replaces the escalation policy and the guard's approval`,
      () =>
        Effect.gen(function* () {
          for (const farther of [{ escalation: "block" }, { access: "destructive" }] as const)
            assert.strictEqual((yield* outcomeOf({ ...farther, [source]: loose }))[0], "runs", JSON.stringify(farther))
          const guarded = yield* outcomeOf({ guard: "block", [source]: loose })
          assert.deepStrictEqual(guarded, ["runs", "by the arguments", shown[source]])
        })
    )

    it.effect(`2.11 of the ${source} that is a function gets the tool's name and the arguments as JSON`, () =>
      Effect.gen(function* () {
        const seen: Array<unknown> = []
        const approval: SharedApproval = (call) => {
          seen.push(call)
          return Effect.succeed(Approval.confirm("it saves"))
        }
        assert.deepStrictEqual(yield* outcomeOf({ [source]: approval }), [
          "no_person",
          "by the arguments",
          shown[source]
        ])
        assert.deepStrictEqual(seen, [{ tool: "save_it", arguments: { q: "a" } }])
      })
    )

    it.effect(`2.11 of the ${source} that throws, fails or returns no level asks a person`, () =>
      Effect.gen(function* () {
        const broken: ReadonlyArray<() => unknown> = [
          () => {
            throw new Error("down")
          },
          () => Effect.fail("down"),
          () => "auto"
        ]
        for (const approval of broken) {
          // untyped programs can return anything
          assert.strictEqual((yield* outcomeOf({ [source]: approval as never }))[0], "no_person")
        }
      })
    )
  }

  it.effect("2.11 that is loosened still asks if a nearer source is stricter, but not if a farther source is", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* outcomeOf({ toolbox: loose, tool: "confirm" }))[0], "no_person")
      assert.strictEqual((yield* outcomeOf({ useSite: loose, tool: "confirm" }))[0], "runs")
      assert.strictEqual((yield* outcomeOf({ useSite: loose, call: "confirm" }))[0], "no_person")
      assert.strictEqual((yield* outcomeOf({ guard: "block", toolbox: "block", tool: loose }))[0], "runs")
      assert.strictEqual((yield* outcomeOf({ tool: loose, useSite: "confirm" }))[0], "no_person")
    })
  )

  it.effect("2.11 around a call applies to this call only", () =>
    Effect.gen(function* () {
      const tool = define("save_it", { access: "write" })
      const box = boxOf(tool)
      const codes = yield* Effect.forEach([Approval.auto, Approval.confirm("asks"), Approval.auto], (approval, index) =>
        box.answer({ name: "save_it", arguments: { q: `${index}` }, callId: `${index}` }).pipe(
          Effect.provideService(ToolPolicy, { approval: () => approval }),
          Effect.map(({ outcome }) => outcome._tag)
        )
      ).pipe(within([handled(tool, () => Effect.succeed({ n: 1 }))]))
      assert.deepStrictEqual(codes, ["Success", "Failure", "Success"])
    })
  )

  it.effect("2.11 of two policies of one toolbox is the stricter one", () =>
    Effect.gen(function* () {
      const tool = define("save_it", { access: "write" })
      const box = Toolbox.policy({ approval: "auto" })(Toolbox.policy({ approval: "confirm" })(boxOf(tool)))
      const { outcome } = yield* box
        .answer({ name: "save_it", arguments: { q: "a" }, callId: "call" })
        .pipe(within([handled(tool, () => Effect.succeed({ n: 1 }))]))
      assert.strictEqual(outcome._tag, "Failure")
    })
  )

  it.effect("2.11 that is not a level is refused with the tool, the field and the remedy", () =>
    Effect.gen(function* () {
      const approval = "ask" as never
      const message =
        /^save_it: `approval` is "ask"; write "auto", "inform", "confirm", "block" or a function of the call\.$/
      assert.throws(() => Toolbox.policy({ approval })(boxOf(define("save_it"))), message)
      assert.throws(() => define("save_it").pipe(GuardedTool.policy({ approval })), message)
      const exit = yield* Effect.exit(
        Effect.provide(Effect.void, Guard.layerMemory.pipe(Layer.provide(Layer.succeed(ToolPolicy, { approval }))))
      )
      assert.isTrue(Exit.isFailure(exit))
      const [code] = yield* outcomeOf({ call: approval })
      assert.strictEqual(code, "misconfigured")
    })
  )
})
