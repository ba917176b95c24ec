import * as EscalationPolicy from "#domain/tool/EscalationPolicy"
import type { EscalationEvent, Level } from "#domain/tool/EscalationPolicy"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

type FailedCall = Extract<EscalationEvent, { readonly _tag: "CallFailed" }>

const requested = (access: "read" | "write" | "destructive", critical = false): EscalationEvent => ({
  _tag: "CallRequested",
  tool: "refund_order",
  access,
  critical
})

const failure = (failure: FailedCall["failure"], rest: Partial<FailedCall> = {}): EscalationEvent => ({
  _tag: "CallFailed",
  tool: "refund_order",
  access: "read",
  critical: false,
  failure,
  code: "code",
  attempts: 1,
  defect: false,
  ...rest
})

const rows: ReadonlyArray<readonly [name: string, event: EscalationEvent, level: Level]> = [
  ["a read runs", requested("read"), "auto"],
  ["a write runs", requested("write"), "auto"],
  ["a destructive call is confirmed first", requested("destructive"), "confirm"],
  ["a critical read still runs", requested("read", true), "auto"],
  ["Resource blocks", failure("Resource"), "block"],
  ["Resource blocks on a write, too", failure("Resource", { access: "write" }), "block"],
  ["a person is informed of Resource from another server", failure("Resource", { isRemote: true }), "inform"],
  [
    "Resource from a destructive tool of another server blocks",
    failure("Resource", { access: "destructive", isRemote: true }),
    "block"
  ],
  [
    "Resource blocks if the guard itself refused the call of another server's tool",
    failure("Resource", { attempts: 0, isRemote: true }),
    "block"
  ],
  ["Transient after two attempts recovers silently", failure("Transient", { attempts: 2 }), "auto"],
  ["Transient after three attempts informs", failure("Transient", { attempts: 3 }), "inform"],
  ["Transient that was refused without an attempt recovers silently", failure("Transient", { attempts: 0 }), "auto"],
  ["wrong arguments of a read recover silently", failure("ToolArgError"), "auto"],
  ["wrong arguments of a write recover silently", failure("ToolArgError", { access: "write" }), "auto"],
  [
    "wrong arguments of a destructive tool are confirmed",
    failure("ToolArgError", { access: "destructive" }),
    "confirm"
  ],
  ["Permanent recovers silently", failure("Permanent"), "auto"],
  ["Permanent after three attempts recovers silently", failure("Permanent", { attempts: 3 }), "auto"],
  ["Permanent of a destructive tool recovers silently", failure("Permanent", { access: "destructive" }), "auto"],
  ["Permanent of a critical tool informs a person", failure("Permanent", { critical: true }), "inform"],
  ["SchemaMismatch of a critical tool recovers silently", failure("SchemaMismatch", { critical: true }), "auto"],
  ["a person is informed of a defect", failure("Permanent", { code: "tool_crashed", defect: true }), "inform"],
  [
    "a person is informed of a defect of a write, whatever its class",
    failure("HumanReview", { code: "outcome_unknown", access: "write", defect: true }),
    "inform"
  ],
  ["PartialData recovers silently", failure("PartialData"), "auto"],
  ["SemanticGarbage recovers silently", failure("SemanticGarbage"), "auto"],
  [
    "a person is informed of a tool that asks for a person",
    failure("HumanReview", { code: "review_requested" }),
    "inform"
  ],
  ["a person is informed of an unknown outcome", failure("HumanReview", { code: "outcome_unknown" }), "inform"],
  ["HumanReview is not escalated again", failure("HumanReview"), "auto"],
  [
    "a person is informed of a tool whose schemas seem too strict",
    { _tag: "ContractBroken", tool: "search_orders", part: "results", calls: 50, broken: 6 },
    "inform"
  ],
  ["a loop is confirmed", { _tag: "LoopDetected", tool: "search_orders", pattern: "identical" }, "confirm"],
  ["a provider that remains unavailable blocks the run", { _tag: "ProviderExhausted" }, "block"],
  ["a conversation that is too long blocks the run", { _tag: "ContextLimitReached" }, "block"],
  ["a run without tokens left is reported as blocked", { _tag: "LimitReached", limit: "tokens" }, "block"],
  ["a run without money left is reported as blocked", { _tag: "LimitReached", limit: "cost" }, "block"],
  ["a run without rounds left is not reported", { _tag: "LimitReached", limit: "rounds" }, "auto"],
  [
    "the most severe of two rules counts",
    failure("Resource", { critical: true, defect: true, access: "destructive" }),
    "block"
  ]
]

describe("EscalationPolicy", () => {
  for (const [name, event, level] of rows) {
    it(`10.2 ${name}`, () => assert.strictEqual(EscalationPolicy.decide(event), level))
  }

  it("10.2 every rule alone decides at least one of the cases", () => {
    for (const rule of EscalationPolicy.rules) {
      const without = EscalationPolicy.make(EscalationPolicy.rules.filter((other) => other !== rule))
      assert.isTrue(
        rows.some(([, event, level]) => without(event) !== level),
        rule.name
      )
    }
  })

  it("10.2 a user's rule is added to the default rules and can only raise the level", () => {
    const policy = EscalationPolicy.make([
      ...EscalationPolicy.rules,
      {
        name: "refunds",
        level: "block",
        when: (event) => event._tag === "CallRequested" && event.tool === "refund_order"
      },
      { name: "softer", level: "auto", when: () => true }
    ])
    assert.strictEqual(policy(requested("read")), "block")
    assert.strictEqual(policy(failure("Transient", { attempts: 3 })), "inform")
  })

  it("10.2 without rules every event has the level auto", () => {
    for (const [name, event] of rows) assert.strictEqual(EscalationPolicy.make([])(event), "auto", name)
  })

  const level = Schema.Literals(["auto", "inform", "confirm", "block"])
  it.prop(
    "10.1 combining levels returns the strictest, in any order and grouping",
    [level, level, level],
    ([a, b, c]) => {
      const { strictest } = EscalationPolicy
      assert.strictEqual(strictest(a, b), strictest(b, a))
      assert.strictEqual(strictest(a, strictest(b, c)), strictest(strictest(a, b), c))
      assert.include([a, b], strictest(a, b))
      assert.strictEqual(strictest(a, "auto"), a)
      assert.strictEqual(strictest(a, "block"), "block")
      assert.strictEqual(strictest("inform", "confirm"), "confirm")
    }
  )
})

describe("EscalationPolicy.levelOf", () => {
  const { levelOf, strictestOf } = EscalationPolicy
  const event = requested("write")
  const always = (level: unknown) => (() => level) as EscalationPolicy.EscalationPolicy
  const noLevel: EscalationPolicy.PolicyDecision = { level: "confirm", crash: { error: "it returned no level" } }
  const error = new Error("no such table")
  const broken = (): Level => {
    throw error
  }

  it("10.1 the four levels are levels, and no other value", () => {
    const others = ["Auto", "constructor", "", ["auto"], 1, null, undefined, {}]
    assert.deepStrictEqual(["auto", "inform", "confirm", "block", ...others].map(EscalationPolicy.isLevel), [
      true,
      true,
      true,
      true,
      ...others.map(() => false)
    ])
  })

  it("10.2 the level of a policy that throws or returns no level is `confirm`, with the error", () => {
    assert.deepStrictEqual(levelOf(always("block"), event), { level: "block" })
    for (const value of [undefined, null, "stop", ["block"], 3])
      assert.deepStrictEqual(levelOf(always(value), event), noLevel)
    assert.deepStrictEqual(levelOf(broken, event), { level: "confirm", crash: { error } })
  })

  it("10.2 of two policies the more severe level applies, with the error of either", () => {
    const crash = { error }
    const cases: ReadonlyArray<readonly [EscalationPolicy.EscalationPolicy, unknown]> = [
      [strictestOf(always("inform"), always("confirm")), { level: "confirm" }],
      [strictestOf(always("block"), always("auto")), { level: "block" }],
      [strictestOf(always("auto"), broken), { level: "confirm", crash }],
      [strictestOf(broken, always("block")), { level: "block", crash }],
      [strictestOf(broken, always(undefined)), { level: "confirm", crash }],
      [strictestOf(strictestOf(always("auto"), broken), always("inform")), { level: "confirm", crash }]
    ]
    assert.deepStrictEqual(
      cases.map(([policy]) => levelOf(policy, event)),
      cases.map(([, decision]) => decision)
    )
    assert.deepStrictEqual(
      cases.map(([policy]) => policy(event)),
      ["confirm", "block", "confirm", "block", "confirm", "confirm"]
    )
  })

  it("10.2 the same two policies combine to the same function, and a policy with itself to the policy", () => {
    const [a, b, c] = [always("auto"), always("inform"), always("block")]
    assert.strictEqual(strictestOf(a, a), a)
    const both = strictestOf(a, b)
    strictestOf(a, c)
    assert.strictEqual(strictestOf(a, b), both)
    assert.notStrictEqual(strictestOf(a, c), both)
  })
})
