/**
 * Tests that settings which contradict each other are refused in every place where a policy is set: definitions,
 * overrides, toolboxes, dynamic tools, toolkits, OpenAPI documents and MCP servers.
 */
import * as Import from "#src/openapi/Import"
import * as McpTools from "#src/mcp/remote/McpTools"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"

const base = {
  description: "Searches orders. Read-only.",
  access: "read",
  parameters: Schema.Struct({ page: Schema.Int }),
  success: Schema.Struct({ orders: Schema.Array(Schema.String) })
} as const

/** Defines a tool. The cast removes type checking, so that tests can make mistakes that the compiler refuses. */
const define = GuardedTool.Service<never>() as unknown as (name: string, definition: object) => GuardedTool.AnyTool

/** Composes tools whose names the compiler does not know. */
const boxOf: (...tools: ReadonlyArray<GuardedTool.AnyTool>) => Toolbox.Toolbox<GuardedTool.AnyTool> = Toolbox.make

/** Returns the message of the RangeError that `make` throws. */
const refusal = (make: () => unknown): string => {
  try {
    make()
  } catch (error) {
    assert.instanceOf(error, RangeError)
    return (error as RangeError).message
  }
  return "no error"
}

const search = define("search", base)
const brief = define("brief", { ...base, deadline: "10 seconds" })
const patient = define("patient", { ...base, timeout: "1 minute" })

const handler = () => Effect.succeed(null)
const document = {
  openapi: "3.1.0",
  info: { title: "orders", version: "1" },
  servers: [{ url: "http://127.0.0.1" }],
  paths: { "/orders": { get: { operationId: "search", responses: { 200: { description: "ok" } } } } }
}

/** Returns where a way sets the policy, in the words of the messages. */
const placeOf = (way: string): string => {
  if (way.startsWith("Toolbox")) return "in the policy of its toolbox"
  if (way.startsWith("an MCP") || way.startsWith("an OpenAPI")) return "in its policy"
  return way.startsWith("GuardedTool") || way.startsWith("an override")
    ? "in the policy where it is used"
    : "in its definition"
}

/** The ways to give a tool named `search` a policy. */
const ways: Readonly<Record<string, (policy: object) => unknown>> = {
  "a definition": (policy) => define("search", { ...base, ...policy }),
  "GuardedTool.policy": (policy) => search.pipe(GuardedTool.policy(policy)),
  "Toolbox.policy": (policy) => Toolbox.policy(policy)(boxOf(search)),
  "a dynamic tool": (policy) => GuardedTool.dynamic("search", { access: "read", ...policy, handler }),
  "an override of a dynamic tool": (policy) =>
    GuardedTool.dynamic("search", { access: "read", handler }).pipe(GuardedTool.policy(policy)),
  "a toolkit": (policy) =>
    GuardedTool.fromToolkit(Toolkit.make(Tool.make("search")), { search: { access: "read", ...policy } }),
  "an OpenAPI document": (policy) => Import.toolsUnsafe(document, { policy: () => policy }),
  "an MCP server that is started": (policy) => McpTools.stdio({ command: "none", policies: { search: policy } }),
  "an MCP server at an address": (policy) => McpTools.http({ url: "http://127.0.0.1:9", policies: { search: policy } })
}

describe("contradictory settings", () => {
  for (const [way, set] of Object.entries(ways)) {
    it(`2.12 of ${way} are refused with the tool, the setting and the remedy`, () => {
      assert.strictEqual(
        refusal(() => set({ timeout: "5 seconds", deadline: "1 second" })),
        "search: `deadline` is 1s, below `timeout`, which is 5s, so no attempt could use its time; set a longer `deadline` or a shorter `timeout`, or leave `deadline` out."
      )
      assert.deepStrictEqual(
        [{ timeout: 0 }, { deadline: "-1 seconds" }, { circuit: { open: Number.NaN } }, { budget: 0 }].map((policy) =>
          refusal(() => set(policy))
        ),
        [
          'search: `timeout` must be longer than zero, got 0; write a time such as "30 seconds".',
          'search: `deadline` must be longer than zero, got "-1 seconds"; write a time such as "30 seconds".',
          'search: `circuit.open` must be longer than zero, got NaN; write a time such as "30 seconds".',
          "search: `budget` must be a whole number of at least 1, got 0."
        ]
      )
      assert.strictEqual(
        refusal(() => set({ timeout: "5 seconds", deadline: "5 seconds" })),
        "no error"
      )
    })
  }

  for (const [way, set] of Object.entries(ways)) {
    it(`2.12 a budget, repeats and delays of ${way} that contradict each other are refused with the place and the remedy`, () => {
      const place = `search: ${placeOf(way)}`
      assert.deepStrictEqual(
        [
          { budget: 2, retry: { attempts: 3 } },
          { repeats: "once", loop: { repeats: 3 } },
          { deadline: "4 seconds", retry: { base: "8 seconds" } }
        ].map((policy) => refusal(() => set(policy))),
        [
          `${place}, \`budget\` is 2, below \`retry.attempts\`, which is 3, so a call could not use all its attempts; set a larger \`budget\` or fewer \`attempts\`, or leave one of them out.`,
          `${place}, \`loop.repeats\` limits the repeats that are allowed, but \`repeats\` is once; set \`repeats: "allowed"\`, or remove \`loop.repeats\`.`,
          `${place}, \`retry.base\` is 8s, too long for \`deadline\`, which is 4s, so no retry could start; set a shorter \`base\` or a longer \`deadline\`, or \`attempts: 1\`.`
        ]
      )
      for (const agreeing of [
        { budget: 3, retry: { attempts: 3 } },
        { deadline: "4 seconds", retry: { base: "8 seconds", attempts: 1 } },
        { deadline: "4 seconds", retry: { base: "8 seconds", jitter: "full" } },
        { deadline: "4 seconds", retry: { base: "7 seconds" } }
      ]) {
        assert.strictEqual(
          refusal(() => set(agreeing)),
          "no error"
        )
      }
    })
  }

  it("2.12 an invalid value of a toolbox is refused even if the definition of each tool sets the field", () => {
    const set = (policy: object) => () =>
      Toolbox.policy(policy)(
        boxOf(
          define("search", {
            ...base,
            timeout: "9 seconds",
            concurrency: 2,
            retry: { base: "1 second", cap: "2 seconds" }
          })
        )
      )
    assert.deepStrictEqual(
      [
        { timeout: 0 },
        { timeout: "soon" },
        { concurrency: 1.5 },
        { retry: { base: "5 seconds", cap: "1 second" } },
        { concurrency: 3 }
      ].map((policy) => refusal(set(policy))),
      [
        'search: `timeout` must be longer than zero, got 0; write a time such as "30 seconds".',
        'search: `timeout` must be a duration, got "soon"; write a time such as "30 seconds".',
        "search: `concurrency` must be a whole number of at least 1, got 1.5.",
        "search: `retry.cap` is 1s, below `retry.base`, which is 5s, so the first delay would exceed the maximum; set a longer `cap` or a shorter `base`.",
        "no error"
      ]
    )
  })

  it("4.7 a budget below the attempts of a shared policy is accepted for a write that is repeated only if nothing was done", () => {
    const shared = Toolbox.policy({ budget: 1, retry: { attempts: 3 } })
    const write = { ...base, access: "write" }
    assert.strictEqual(
      refusal(() => shared(boxOf(define("send", write)))),
      "no error"
    )
    assert.match(
      refusal(() => shared(boxOf(define("send", { ...write, idempotency: "derived" })))),
      /^send: in the policy of its toolbox, `budget` is 1, below `retry.attempts`, which is 3/
    )
  })

  it("2.12 repeats of a definition that its poll contradicts are refused with the remedy", () => {
    const poll = { interval: "1 second", deadline: "1 minute", until: () => true }
    const polled = (fields: object) => refusal(() => define("advance", { ...base, access: "write", poll, ...fields }))
    assert.deepStrictEqual(
      [
        polled({ loop: { repeats: 3 }, repeats: "allowed" }),
        polled({ repeats: "once" }),
        polled({ idempotency: "derived" }),
        polled({ idempotency: "derived", repeats: "allowed" }),
        polled({ budget: 1 })
      ],
      [
        "advance: `poll` repeats a call until its result has arrived, so `loop.repeats` has no effect; remove one of them.",
        "advance: `poll` repeats a call, but `repeats` is once; remove one of them.",
        'advance: `poll` repeats a call, but with `idempotency` derived identical calls run once; remove one of them, or set `repeats: "allowed"`.',
        "no error",
        "no error"
      ]
    )
  })

  it("2.11 `loop.repeats` of a definition whose repeats are not allowed by default is refused with the remedy", () => {
    const write = (fields: object) =>
      refusal(() => define("press", { ...base, access: "write", loop: { repeats: 3 }, ...fields }))
    assert.strictEqual(
      write({}),
      'press: `loop.repeats` limits the repeats that are allowed, but `repeats` is unset and once by default; set `repeats: "allowed"`, or remove `loop.repeats`.'
    )
    assert.strictEqual(write({ repeats: "allowed" }), "no error")
    assert.strictEqual(write({ idempotency: "none" }), "no error")
  })

  it("8.1 settings of an idempotency key whose mode is none are refused with the remedy, unless they mean the same as none", () => {
    const pay = (idempotency: object) =>
      refusal(() => define("pay", { ...base, access: "write", idempotency: { mode: "none", ...idempotency } }))
    for (const setting of [{ timeToLive: "1 hour" }, { upstreamHonoursKey: true }])
      assert.match(
        pay(setting),
        /^pay: the settings of `idempotency` are for keys, but its `mode` is none; set `mode: "derived"`/
      )
    assert.strictEqual(pay({ upstreamHonoursKey: false }), "no error")
  })

  it("2.12 a polled read with a budget below its attempts is refused, because a poll may be retried", () => {
    const poll = { interval: "1 second", deadline: "1 minute", until: () => true }
    assert.strictEqual(
      refusal(() => define("look", { ...base, poll, budget: 1, retry: { attempts: 3 } })),
      "look: in its definition, `budget` is 1, below `retry.attempts`, which is 3, so a call could not use all its attempts; set a larger `budget` or fewer `attempts`, or leave one of them out."
    )
  })

  it("2.12 between a definition and its override are refused, whichever of them has the deadline", () => {
    const rest =
      "so no attempt could use its time; set a longer `deadline` or a shorter `timeout`, or leave `deadline` out."
    const message = `brief: \`deadline\` is 10s, below \`timeout\`, which is 11s, ${rest}`
    assert.strictEqual(
      refusal(() => brief.pipe(GuardedTool.timeout("11 seconds"))),
      message
    )
    assert.strictEqual(
      refusal(() => Toolbox.policy({ timeout: "11 seconds" })(boxOf(search, brief))),
      message
    )
    assert.strictEqual(
      refusal(() => Toolbox.policy({ deadline: "30 seconds" })(boxOf(search, patient))),
      `patient: \`deadline\` is 30s, below \`timeout\`, which is 1m, ${rest}`
    )
  })

  it("2.12 of `GuardedTool.timeout` and `GuardedTool.retry` are refused", () => {
    assert.deepStrictEqual(
      [
        refusal(() => search.pipe(GuardedTool.timeout("0 seconds"))),
        refusal(() => search.pipe(GuardedTool.retry({ base: 0 }))),
        refusal(() => search.pipe(GuardedTool.retry({ attempts: 2, cap: -1 }))),
        refusal(() => search.pipe(GuardedTool.retry({ base: "2 seconds", cap: "1 second" }))),
        refusal(() => search.pipe(GuardedTool.retry({ attempts: 0 })))
      ],
      [
        'search: `timeout` must be longer than zero, got "0 seconds"; write a time such as "30 seconds".',
        'search: `retry.base` must be longer than zero, got 0; write a time such as "30 seconds".',
        'search: `retry.cap` must be longer than zero, got -1; write a time such as "30 seconds".',
        "search: `retry.cap` is 1s, below `retry.base`, which is 2s, so the first delay would exceed the maximum; set a longer `cap` or a shorter `base`.",
        "search: `retry.attempts` must be a whole number of at least 1, got 0."
      ]
    )
  })

  it("2.12 of a poll are refused", () => {
    const polling = (interval: unknown, deadline: unknown) =>
      refusal(() => define("search", { ...base, poll: { interval, deadline, until: () => true } }))
    assert.deepStrictEqual(
      [
        polling(0, "1 minute"),
        polling("1 second", -5),
        polling("1 second", Infinity),
        polling("2 seconds", "1 second")
      ],
      [
        'search: `poll.interval` must be longer than zero, got 0; write a time such as "30 seconds".',
        'search: `poll.deadline` must be longer than zero, got -5; write a time such as "30 seconds".',
        'search: `poll.deadline` must be at most 24 days, got Infinity; write a time such as "30 seconds".',
        "search: `poll.deadline` is 1s, below `poll.interval`, which is 2s, so no poll could follow the first; set a longer `deadline` or a shorter `interval`."
      ]
    )
    assert.strictEqual(polling("1 second", "1 second"), "no error")
  })

  it("2.12 of an idempotency key are refused, but an infinite time to live is allowed", () => {
    const keyed = (timeToLive: unknown) =>
      refusal(() => define("pay", { ...base, access: "write", idempotency: { mode: "derived", timeToLive } }))
    assert.strictEqual(
      keyed("0 hours"),
      'pay: `idempotency.timeToLive` must be longer than zero, got "0 hours"; write a time such as "30 seconds".'
    )
    assert.strictEqual(keyed("Infinity"), "no error")
  })

  it("2.12 of several patterns for the tools of an MCP server are refused", () => {
    const policies = { "*": { timeout: "1 minute" }, "read_*": { deadline: "30 seconds" } } as const
    assert.match(
      refusal(() => McpTools.stdio({ command: "none", policies })),
      /^read_\*: `deadline` is 30s, below `timeout`, which is 1m, /
    )
    assert.match(
      refusal(() => McpTools.stdio({ command: "none", patience: 0 })),
      /^McpTools: `patience` must be longer than zero, got 0; /
    )
  })
})

describe("a limit that is not set", () => {
  /** Returns the timeout and the deadline of a tool, in milliseconds. */
  const limits = (tool: GuardedTool.AnyTool) => {
    const { attemptMillis, deadlineMillis } = (tool as unknown as { readonly definition: Record<string, number> })
      .definition
    return [attemptMillis, deadlineMillis]
  }

  it("2.12 is derived from the overridden timeout, retries or deadline", () => {
    assert.deepStrictEqual(limits(search.pipe(GuardedTool.timeout("1 minute"))), [60_000, 247_000])
    assert.deepStrictEqual(limits(patient.pipe(GuardedTool.retry({ attempts: 1 }))), [60_000, 60_000])
    assert.deepStrictEqual(limits(patient.pipe(GuardedTool.timeout("1 second"))), [1_000, 30_000])
    assert.deepStrictEqual(limits(search.pipe(GuardedTool.policy({ deadline: "2 seconds" }))), [2_000, 2_000])
    assert.deepStrictEqual(limits(brief.pipe(GuardedTool.policy({ deadline: "1 minute" }))), [5_000, 60_000])
    assert.deepStrictEqual(
      limits(brief.pipe(GuardedTool.policy({ timeout: "1 minute", deadline: "2 minutes" }))),
      [60_000, 120_000]
    )
    const [tool] = Toolbox.policy({ timeout: "1 minute" })(boxOf(search)).tools.values()
    assert.deepStrictEqual(tool && limits(tool), [60_000, 247_000])
  })
})
