/** Tests the policy of tools: its description by `Toolbox.describe`, its thresholds, and its contradictions. */
import * as Approval from "#domain/tool/Approval"
import { policyFields } from "#domain/tool/PolicyFields"
import * as Pipeline from "#pipeline/Pipeline"
import { EscalationPolicy, ToolPolicy } from "#services/Policies"
import { ResultLimit } from "#services/ResultLimit"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { readFileSync } from "node:fs"
import { updated } from "../../scripts/policy.ts"
import { ask, brief, define, failureOf, settled, type Tool, tool, within } from "../pipeline/support.ts"

const boxOf = (...tools: ReadonlyArray<Tool>) =>
  (Toolbox.make as (...tools: ReadonlyArray<Tool>) => Toolbox.Toolbox<Tool>)(...tools)

/** Returns the value and origin of each field, from the description of a toolbox with one tool. */
const fieldsOf = (box: Toolbox.Toolbox<Tool>, ...names: ReadonlyArray<string>) =>
  Effect.map(Toolbox.describe(box), ([description]) =>
    names.map((name) => {
      const found = description?.fields.find(({ field }) => field === name)
      return [found?.value, found?.origin]
    })
  )

const search = define("search")

describe("Toolbox.describe", () => {
  it.effect("2.12 describes every field of every tool, with the defaults of a write", () =>
    Effect.gen(function* () {
      const descriptions = yield* Toolbox.describe(boxOf(search, define("send", { access: "write", id: "mail/send" })))
      assert.deepStrictEqual(
        descriptions.map(({ id, tool }) => [tool, id]),
        [
          ["search", "search"],
          ["send", "mail/send"]
        ]
      )
      for (const { fields } of descriptions) {
        assert.deepStrictEqual(
          fields.map(({ field }) => field),
          policyFields.map(({ field }) => field)
        )
      }
      const send = boxOf(define("send", { access: "write" }))
      assert.deepStrictEqual(yield* fieldsOf(send, "retry.attempts", "budget", "timeout", "approval"), [
        [4, "default"],
        [1, "default"],
        [5_000, "default"],
        ["auto", "default"]
      ])
    }).pipe(Effect.provide(Guard.layerMemory))
  )

  it.effect("2.12 names the stages that act on a tool, in their order", () =>
    Effect.gen(function* () {
      const plain = yield* Toolbox.describe(boxOf(search))
      const keyed = yield* Toolbox.describe(boxOf(define("send", { access: "write", idempotency: "derived" })))
      const circuitless = yield* Toolbox.describe(boxOf(define("search", { circuit: false })))
      const order = Pipeline.stages.map(({ name }) => name as string)
      assert.notInclude([...(plain[0]?.stages ?? [])], "idempotency")
      assert.notInclude([...(circuitless[0]?.stages ?? [])], "circuit")
      assert.includeMembers([...(keyed[0]?.stages ?? [])], ["idempotency", "claim"])
      assert.deepStrictEqual(
        keyed[0]?.stages,
        order.filter((name) => keyed[0]?.stages.includes(name))
      )
    }).pipe(Effect.provide(Guard.layerMemory))
  )

  it.effect("2.12 names the origin of each field: definition, toolbox, guard, use site, and around a call", () => {
    const guard = Guard.layerMemory.pipe(
      Layer.provide(Layer.succeed(ToolPolicy, { timeout: "1 second", budget: 7, critical: true }))
    )
    const box = Toolbox.policy({ timeout: "2 seconds", concurrency: 3 })(
      boxOf(define("search", { deadline: "9 seconds" }).pipe(GuardedTool.policy({ enforce: "advise" })))
    )
    const names = ["timeout", "deadline", "budget", "critical", "concurrency", "enforce", "retry.attempts"]
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* fieldsOf(box, ...names), [
        [2_000, "toolbox"],
        [9_000, "tool"],
        [7, "guard"],
        [true, "guard"],
        [3, "toolbox"],
        ["advise", "use site"],
        [4, "default"]
      ])
      const around = Effect.provideService(fieldsOf(box, "timeout", "deadline"), ToolPolicy, { timeout: "3 seconds" })
      assert.deepStrictEqual(yield* around, [
        [3_000, "use site"],
        [9_000, "tool"]
      ])
    }).pipe(Effect.provide(guard))
  })

  it.effect("2.12 a field that is derived from another field is described with that field and its origin", () => {
    const follows = (made: Tool, ...names: ReadonlyArray<string>) =>
      Effect.map(Toolbox.describe(boxOf(made)), ([description]) =>
        names.map((name) => {
          const found = description?.fields.find(({ field }) => field === name)
          return [found?.value, found?.origin, found?.follows]
        })
      )
    const guard = Guard.layerMemory.pipe(Layer.provide(Layer.succeed(ToolPolicy, { budget: 2 })))
    return Effect.gen(function* () {
      const slow = define("search", { timeout: "20 seconds", retry: { cap: "100 millis" }, circuit: { minimum: 30 } })
      assert.deepStrictEqual(
        yield* follows(slow, "deadline", "retry.base", "circuit.window", "retry.attempts", "circuit.cap"),
        [
          [80_300, "tool", "timeout"],
          [100, "tool", "retry.cap"],
          [30, "tool", "circuit.minimum"],
          [4, "default", undefined],
          [2_000, "default", undefined]
        ]
      )
      const brief = define("search").pipe(GuardedTool.policy({ deadline: "3 seconds", circuit: { open: "1 minute" } }))
      assert.deepStrictEqual(yield* follows(brief, "timeout", "circuit.cap", "retry.cap"), [
        [3_000, "use site", "deadline"],
        [60_000, "use site", "circuit.open"],
        [20_000, "default", undefined]
      ])
      const small = define("search", { circuit: { window: 3, cap: "100 millis" }, retry: { base: "1 minute" } })
      assert.deepStrictEqual(yield* follows(small, "circuit.minimum", "circuit.open", "retry.cap"), [
        [3, "tool", "circuit.window"],
        [100, "tool", "circuit.cap"],
        [60_000, "tool", "retry.base"]
      ])
      const eager = define("search", { retry: { attempts: 6 } })
      assert.deepStrictEqual(yield* follows(eager, "retry.attempts", "budget"), [
        [6, "tool", undefined],
        [6, "tool", "retry.attempts"]
      ])
      // if two sources set these fields, the nearer source applies, whichever field it sets
      assert.deepStrictEqual(yield* Effect.provide(follows(eager, "retry.attempts", "budget"), guard), [
        [6, "tool", undefined],
        [6, "tool", "retry.attempts"]
      ])
      assert.deepStrictEqual(yield* Effect.provide(follows(define("search"), "retry.attempts", "budget"), guard), [
        [2, "guard", "budget"],
        [2, "guard", undefined]
      ])
      const around = Effect.provideService(follows(eager, "retry.attempts", "budget"), ToolPolicy, { budget: 3 })
      assert.deepStrictEqual(yield* around, [
        [3, "use site", "budget"],
        [3, "use site", undefined]
      ])
    }).pipe(Effect.provide(Guard.layerMemory))
  })

  it.effect("2.12 `loop.repeats` and `repeats` that have no effect on a tool are described without a value", () => {
    const poll = { interval: 1, deadline: 2, until: () => true }
    const pressed = { access: "write", repeats: "allowed" }
    const shared = Toolbox.policy({ loop: { repeats: 3 } })
    const names = ["repeats", "loop.repeats"]
    return Effect.gen(function* () {
      const values = (made: Tool) =>
        Effect.map(fieldsOf(shared(boxOf(made)), ...names), (all) => all.map(([value]) => value))
      assert.deepStrictEqual(yield* values(define("advance", { access: "write", poll })), [null, null])
      assert.deepStrictEqual(yield* values(define("search")), [null, null])
      assert.deepStrictEqual(yield* values(define("press", pressed)), ["allowed", 3])
      assert.deepStrictEqual(yield* values(define("advance", { ...pressed, poll })), ["allowed", null])
    }).pipe(Effect.provide(Guard.layerMemory))
  })

  it.effect("2.12 describes approval and shown size by the policy that applies", () => {
    const strict = Layer.mergeAll(
      Layer.succeed(EscalationPolicy, () => "block" as const),
      Layer.succeed(ResultLimit, 50)
    )
    const asking = define("ask", { access: "write", approval: "confirm" })
    const counting = define("count", { access: "write", approval: () => Approval.auto, limits: { shownBytes: 70 } })
    const names = ["approval", "limits.shownBytes"]
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* fieldsOf(boxOf(define("delete", { access: "destructive" })), ...names), [
        ["confirm", "default"],
        [10_240, "default"]
      ])
      assert.deepStrictEqual(yield* fieldsOf(boxOf(asking), "approval"), [["confirm", "tool"]])
      const guarded = Effect.all([fieldsOf(boxOf(asking), ...names), fieldsOf(boxOf(counting), ...names)])
      assert.deepStrictEqual(yield* Effect.provide(guarded, Guard.layerMemory.pipe(Layer.provide(strict))), [
        [
          ["block", "guard"],
          [50, "guard"]
        ],
        [
          ["by the arguments", "tool"],
          [70, "tool"]
        ]
      ])
      const around = Effect.provideService(fieldsOf(boxOf(counting), "limits.shownBytes"), ResultLimit, 30)
      assert.deepStrictEqual(yield* around, [[30, "use site"]])
    }).pipe(Effect.provide(Guard.layerMemory))
  })

  it.effect("4.12 a fallback is described with the codes after which it is tried", () => {
    const cache = define("cache")
    const fallbacks = [
      { tool: cache, on: ["not_found", "timeout"], arguments: (args: unknown) => args },
      { tool: define("archive"), arguments: (args: unknown) => args }
    ]
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* fieldsOf(boxOf(define("search", { fallbacks })), "fallbacks"), [
        [["cache on not_found, timeout", "archive"], "tool"]
      ])
    }).pipe(Effect.provide(Guard.layerMemory))
  })

  it.effect("2.12 a use-site fallback and a definition's settings have their origin", () => {
    const other = define("other")
    const piped = define("search", { poll: { interval: 1, deadline: 2, until: () => true } }).pipe(
      GuardedTool.fallback(other as never, (args: unknown) => args as never) as (tool: Tool) => Tool
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* fieldsOf(boxOf(piped), "fallbacks", "poll.interval", "checks", "reconcile"), [
        [["other"], "use site"],
        [1, "tool"],
        [[], "default"],
        [null, "default"]
      ])
    }).pipe(Effect.provide(Guard.layerMemory))
  })
})

describe("loop thresholds", () => {
  const same = (made: ReturnType<typeof tool>, count: number) =>
    Effect.forEach(Array.from({ length: count }), () => ask([made.tool], made.tool.toolName, { q: "a" }))

  it.effect("2.12 a tool with a threshold of five identical calls is stopped at the sixth", () => {
    const patient = tool("search", { loop: { identical: 5 }, budget: 9 }, { n: 1 })
    return Effect.gen(function* () {
      const answers = yield* same(patient, 6)
      assert.deepStrictEqual(
        answers.map(({ envelope }) => envelope.error?.code ?? envelope.unchanged ?? "new"),
        ["new", true, true, true, true, "loop_detected"]
      )
    }).pipe(within([patient.layer]))
  })

  it.effect("2.12 the guard's threshold applies to equal failures", () => {
    const policy = { loop: { cycles: 2, sameFailure: 2, noProgress: 3 } }
    const guard = Guard.layerMemory.pipe(Layer.provide(Layer.succeed(ToolPolicy, policy)))
    const failing = tool("fail_it", {}, Effect.fail(new Error("tape robot is odd")))
    return Effect.gen(function* () {
      const answers = yield* Effect.forEach(["a", "b", "c"], (q) => ask([failing.tool], "fail_it", { q }))
      assert.deepStrictEqual(
        answers.map(({ outcome }) =>
          outcome.loop === undefined || outcome.loop._tag === "Proceed" ? undefined : outcome.loop.pattern
        ),
        [undefined, "same_failure", "same_failure"]
      )
    }).pipe(within([failing.layer], guard))
  })

  it.effect("2.12 a write whose repeats are allowed is made as often as its tool sets", () => {
    const press = tool("press_key", { access: "write", repeats: "allowed", loop: { repeats: 3 } }, { n: 1 })
    return Effect.gen(function* () {
      yield* same(press, 5)
      assert.strictEqual(press.runs(), 3)
    }).pipe(within([press.layer]))
  })

  it("2.12 thresholds out of range are refused at the definition", () => {
    assert.throws(
      () => define("search", { loop: { identical: 1 } }),
      RangeError,
      "search: `loop.identical` must be a whole number of at least 2, got 1."
    )
    assert.throws(
      () => define("search", { loop: { cycles: 11 } }),
      RangeError,
      "search: `loop.cycles` must be a whole number from 2 to 10, got 11."
    )
  })
})

describe("ToolPolicy", () => {
  it.effect("2.12 if the guard's policy contradicts a tool, the calls of the tool are refused", () => {
    const slow = tool("search", { timeout: "1 minute" }, { n: 1 })
    const quick = tool("count", {}, { n: 2 })
    const guard = Guard.layerMemory.pipe(Layer.provide(Layer.succeed(ToolPolicy, { deadline: "10 seconds" })))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(slow.tool.call({ q: "a" })), ["Permanent", "misconfigured", "none"])
      assert.deepStrictEqual(yield* settled(quick.tool.call({ q: "a" })), { n: 2 })
      assert.strictEqual(slow.runs(), 0)
      const [description] = yield* Toolbox.describe(boxOf(slow.tool))
      assert.match(description?.refusal ?? "", /^Not called: search: `deadline` is 10s, below `timeout`, which is 1m/u)
    }).pipe(within([slow.layer, quick.layer], guard))
  })

  it.effect(
    "2.12 if the policy around a call sets a budget below its attempts, a misconfigured failure names the policy",
    () => {
      const search = tool("search", {}, { n: 1 })
      return Effect.gen(function* () {
        const policy = { budget: 1, retry: { attempts: 3 } }
        const failure = yield* failureOf(Effect.provideService(search.tool.call({ q: "a" }), ToolPolicy, policy))
        assert.deepStrictEqual(brief(failure), ["Permanent", "misconfigured", "none"])
        assert.match(failure.detail, /search: in the policy around the call, `budget` is 1, below `retry.attempts`/u)
        assert.strictEqual(search.runs(), 0)
      }).pipe(within([search.layer]))
    }
  )

  it.effect("2.12 a policy that contradicts itself is refused when the guard's layer is built", () =>
    Effect.gen(function* () {
      for (const [policy, message] of [
        [
          { budget: 1, retry: { attempts: 3 } },
          /^ToolPolicy: in the policy of the guard, `budget` is 1, below `retry.attempts`, which is 3/u
        ],
        [{ loop: { repeats: 3 }, repeats: "once" }, /^ToolPolicy: in the policy of the guard, `loop.repeats` limits/u],
        [{ timeout: "0 seconds" }, /^ToolPolicy: `timeout` must be longer than zero/u],
        [{ retry: { attempts: 0 } }, /^ToolPolicy: `retry.attempts` must be a whole number of at least 1, got 0/u],
        [
          { limits: { resultDepth: 1_001 } },
          /^ToolPolicy: `limits.resultDepth` must be a whole number from 1 to 1000, got 1001/u
        ]
      ] as const) {
        const guard = Guard.layerMemory.pipe(Layer.provide(Layer.succeed(ToolPolicy, policy)))
        const exit = yield* Effect.exit(Effect.provide(Guard, Layer.fresh(guard)))
        assert.isTrue(Exit.isFailure(exit))
        assert.match(Exit.isFailure(exit) ? String(exit.cause) : "", new RegExp(message.source.slice(1), "u"))
      }
    })
  )

  it.effect("2.11 callers whose policies differ, but set the same `concurrency`, share the slots of a tool", () => {
    let running = 0
    let most = 0
    const slow = tool("search", {}, () =>
      Effect.gen(function* () {
        running += 1
        most = Math.max(most, running)
        yield* Effect.yieldNow
        running -= 1
        return { n: 1 }
      })
    )
    return Effect.gen(function* () {
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, n) => String(n)),
        (q) =>
          Effect.provideService(slow.tool.call({ q }), ToolPolicy, {
            concurrency: 2,
            timeout: `${5 + Number(q)} seconds`
          }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(most, 2)
    }).pipe(within([slow.layer]))
  })
})

describe("docs/policy.md", () => {
  it("2.12 has the table of fields", () => {
    const page = readFileSync("docs/policy.md", "utf8")
    assert.strictEqual(updated(page), page)
  })
})
