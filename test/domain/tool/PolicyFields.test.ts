import * as Approval from "#domain/tool/Approval"
import { type FieldValue, policyFields } from "#domain/tool/PolicyFields"
import { withPolicy } from "#domain/tool/ToolDefinition"
import { compiledOf } from "#pipeline/call/CompiledTool"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { define } from "../../pipeline/support.ts"

/** Returns the value of every field of a definition. */
const valuesOf = (fields: object): Readonly<Record<string, FieldValue>> => {
  const { definition } = compiledOf(define("set_it", { access: "write", ...fields }))
  return Object.fromEntries(policyFields.map(({ field, value }) => [field, value(definition)]))
}

const args = () => ({ q: "a" })
const OutOfStock = Schema.TaggedStruct("OutOfStock", {})

/** The values of a write that sets nothing. */
const defaults: Readonly<Record<string, FieldValue>> = {
  access: "write",
  critical: false,
  enforce: "enforce",
  timeout: 5_000,
  deadline: 30_000,
  "retry.attempts": 4,
  "retry.base": 1_000,
  "retry.cap": 20_000,
  "retry.jitter": "equal",
  budget: 1,
  repeats: "once",
  concurrency: 16,
  "circuit.share": 0.5,
  "circuit.window": 20,
  "circuit.minimum": 5,
  "circuit.open": 1_000,
  "circuit.cap": 2_000,
  "limits.argumentBytes": 1_000_000,
  "limits.argumentDepth": 64,
  "limits.resultBytes": 10_000_000,
  "limits.resultDepth": 200,
  "limits.shownBytes": null,
  "loop.identical": 2,
  "loop.cycles": 3,
  "loop.sameFailure": 4,
  "loop.noProgress": 8,
  "loop.repeats": null,
  approval: null,
  "idempotency.mode": "none",
  "idempotency.fields": null,
  "idempotency.scope": null,
  "idempotency.upstreamHonoursKey": false,
  "idempotency.timeToLive": null,
  reconcile: null,
  fallbacks: [],
  refusals: [],
  checks: [],
  "salvage.path": null,
  "poll.interval": null,
  "poll.deadline": null,
  answers: "value"
}

describe("policyFields", () => {
  it("2.12 describes a share of conversations in percent", () => {
    const shown = [0, 0.001, 0.1, 1 / 3, 1].map((share) => valuesOf({ enforce: { share } })["enforce"])
    assert.deepStrictEqual(shown, [
      "0 % of conversations",
      "0.1 % of conversations",
      "10 % of conversations",
      "33.3333 % of conversations",
      "100 % of conversations"
    ])
  })

  it("2.12 has the default of each field of a write", () => assert.deepStrictEqual(valuesOf({}), defaults))

  it("2.12 has the policy that a definition sets", () => {
    const policy = {
      timeout: "1 second",
      deadline: "1 minute",
      retry: { base: 50, cap: "2 seconds", jitter: "full" },
      budget: 7,
      concurrency: 1,
      circuit: { share: 1, window: 10, minimum: 2, open: "1 minute", cap: "2 minutes" },
      enforce: "advise",
      repeats: "allowed",
      critical: true,
      loop: { identical: 5, cycles: 6, sameFailure: 7, noProgress: 9, repeats: 3 },
      limits: { argumentBytes: 1, argumentDepth: 2, resultBytes: 3, resultDepth: 4, shownBytes: 5 },
      approval: "confirm"
    }
    assert.deepStrictEqual(valuesOf(policy), {
      ...defaults,
      critical: true,
      enforce: "advise",
      timeout: 1_000,
      deadline: 60_000,
      "retry.base": 50,
      "retry.cap": 2_000,
      "retry.jitter": "full",
      budget: 7,
      repeats: "allowed",
      concurrency: 1,
      "circuit.share": 1,
      "circuit.window": 10,
      "circuit.minimum": 2,
      "circuit.open": 60_000,
      "circuit.cap": 120_000,
      "limits.argumentBytes": 1,
      "limits.argumentDepth": 2,
      "limits.resultBytes": 3,
      "limits.resultDepth": 4,
      "limits.shownBytes": 5,
      "loop.identical": 5,
      "loop.cycles": 6,
      "loop.sameFailure": 7,
      "loop.noProgress": 9,
      "loop.repeats": 3,
      approval: "confirm"
    })
  })

  /** Fields of a definition, and the values by which it differs from a write with only the defaults. */
  const cases: ReadonlyArray<readonly [name: string, fields: object, values: Readonly<Record<string, FieldValue>>]> = [
    [
      "a disabled circuit has no values",
      { circuit: false },
      {
        "circuit.share": null,
        "circuit.window": null,
        "circuit.minimum": null,
        "circuit.open": null,
        "circuit.cap": null
      }
    ],
    ["a function decides by the arguments", { approval: () => Approval.auto }, { approval: "by the arguments" }],
    [
      "a derived key",
      { idempotency: "derived" },
      {
        budget: 4,
        "idempotency.mode": "derived",
        "idempotency.fields": "all",
        "idempotency.timeToLive": 86_400_000
      }
    ],
    [
      "a derived key of one argument",
      { idempotency: { mode: "derived", fields: ["q"], timeToLive: "1 hour", upstreamHonoursKey: true } },
      {
        budget: 4,
        "idempotency.mode": "derived",
        "idempotency.fields": ["q"],
        "idempotency.timeToLive": 3_600_000,
        "idempotency.upstreamHonoursKey": true
      }
    ],
    [
      "a key that a model chooses has a scope",
      { idempotency: { mode: "key", scope: "principal" } },
      {
        budget: 4,
        "idempotency.mode": "key",
        "idempotency.fields": "all",
        "idempotency.scope": "principal",
        "idempotency.timeToLive": 86_400_000
      }
    ],
    [
      "tools and codes are named",
      {
        reconcile: { tool: define("find_it"), arguments: args, found: () => undefined },
        fallbacks: [
          { tool: define("cache_it"), on: ["not_found", "timeout"], arguments: args },
          { tool: define("queue_it", { access: "write" }), arguments: args }
        ],
        refusals: [OutOfStock],
        checks: { isFresh: () => ({ _tag: "Ok" }) }
      },
      {
        budget: 4,
        reconcile: "find_it",
        fallbacks: ["cache_it on not_found, timeout", "queue_it"],
        refusals: ["out_of_stock"],
        checks: ["isFresh"]
      }
    ],
    [
      "a salvaged array",
      {
        success: Schema.Struct({ rows: Schema.Array(Schema.String) }),
        salvage: { path: "rows", narrow: "Ask for fewer." },
        answers: "json"
      },
      { "salvage.path": "rows", answers: "json" }
    ],
    [
      "a polled write has no repeats",
      { poll: { interval: "1 second", deadline: "1 minute", until: () => true } },
      { "poll.interval": 1_000, "poll.deadline": 60_000, repeats: null }
    ],
    [
      "a polled write whose repeats are allowed has no limit of repeats",
      { poll: { interval: "1 second", deadline: "1 minute", until: () => true }, repeats: "allowed" },
      { "poll.interval": 1_000, "poll.deadline": 60_000, repeats: "allowed" }
    ],
    ["a read has no repeats", { access: "read" }, { access: "read", budget: 4, repeats: null }],
    ["repeats that are allowed are limited", { repeats: "allowed" }, { repeats: "allowed", "loop.repeats": 10 }]
  ]
  for (const [name, fields, values] of cases) {
    it(`2.12 ${name}`, () => assert.deepStrictEqual(valuesOf(fields), { ...defaults, ...values }))
  }

  it("2.12 repeats that a toolbox allows have no effect on its reads", () => {
    const { definition } = compiledOf(define("search"))
    const shared = withPolicy(definition, "toolbox", { repeats: "allowed", loop: { repeats: 3 } })
    assert.deepStrictEqual(
      policyFields.filter(({ field }) => field.endsWith("repeats")).map(({ value }) => value(shared)),
      [null, null]
    )
  })
})
