/** Tests that no field of a definition or a policy accepts a value of another type from an untyped program. */
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import * as McpTools from "#src/mcp/remote/McpTools"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"

/** Values by the name that the tests show. */
const values = {
  null: null,
  "{}": {},
  "[]": [],
  "5": 5,
  NaN: NaN,
  "-1": -1,
  text: "some text",
  blank: " ",
  true: true,
  false: false,
  function: () => 1,
  "{ foo }": { foo: 1 },
  symbol: Symbol("s"),
  bigint: 10n
} as const satisfies Readonly<Record<string, unknown>>

type Value = keyof typeof values

/** The values that each field accepts. Values of the same type that the field accepts are tested elsewhere. */
type AcceptedValues = Readonly<Record<string, ReadonlyArray<Value>>>

const time: ReadonlyArray<Value> = ["5", "bigint"]

const ofPolicy: AcceptedValues = {
  timeout: time,
  deadline: time,
  retry: ["{}"],
  "retry.attempts": ["5"],
  "retry.base": time,
  "retry.cap": time,
  "retry.jitter": [],
  budget: ["5"],
  concurrency: ["5"],
  circuit: ["{}", "false"],
  "circuit.share": [],
  "circuit.window": ["5"],
  "circuit.minimum": ["5"],
  "circuit.open": time,
  "circuit.cap": time,
  enforce: [],
  repeats: [],
  critical: ["true", "false"],
  limits: ["{}"],
  "limits.argumentBytes": ["5"],
  "limits.argumentDepth": ["5"],
  "limits.resultBytes": ["5"],
  "limits.resultDepth": ["5"],
  "limits.shownBytes": ["5"],
  loop: ["{}"],
  "loop.identical": ["5"],
  "loop.cycles": ["5"],
  "loop.sameFailure": ["5"],
  "loop.noProgress": ["5"],
  "loop.repeats": ["5"]
}

/** The tool of the use site is a read, for which `loop.repeats` is refused. */
const { "loop.repeats": _, ...ofUseSite } = ofPolicy

const ofEachDefinition: AcceptedValues = {
  ...ofPolicy,
  access: [],
  accessBy: [],
  answers: [],
  approval: ["function"],
  checks: ["{}"],
  "checks.rows": ["function"],
  id: [],
  idempotency: [],
  "idempotency.mode": [],
  "idempotency.fields": [],
  // a derived key always belongs to its turn
  "idempotency.scope": [],
  "idempotency.upstreamHonoursKey": ["true", "false"],
  "idempotency.timeToLive": time,
  poll: ["false"],
  "poll.interval": time,
  // 10n is 10 nanoseconds, which is shorter than the interval
  "poll.deadline": ["5"],
  "poll.until": ["function"],
  refusals: ["[]"],
  salvage: [],
  "salvage.path": [],
  "salvage.next": ["function"],
  "salvage.rest": ["function"],
  "salvage.narrow": ["text"]
}

const ofClass: AcceptedValues = {
  ...ofEachDefinition,
  description: ["text"],
  parameters: [],
  success: [],
  fallbacks: ["[]"],
  reconcile: [],
  "reconcile.tool": [],
  "reconcile.arguments": ["function"],
  "reconcile.found": ["function"]
}

const ofToolkit: AcceptedValues = {
  ...ofPolicy,
  access: [],
  approval: ["function"],
  checks: ["{}"],
  "checks.rows": ["function"],
  description: [],
  id: [],
  idempotency: [],
  parameters: [],
  refusals: ["[]"]
}

const ofRemote: AcceptedValues = {
  ...ofPolicy,
  access: [],
  approval: [],
  // no sample has only the characters that an id may have
  id: [],
  idempotency: [],
  poll: ["false"],
  "poll.interval": time,
  "poll.until": ["function"]
}

class Find extends GuardedTool.Service<Find>()("find", {
  description: "Finds it. Reads.",
  access: "read",
  parameters: Schema.Struct({ id: Schema.String }),
  success: Schema.Struct({ rows: Schema.Array(Schema.String) })
}) {}

/** The other fields of an object that has a field of the table. */
const around: Readonly<Record<string, object>> = {
  idempotency: { mode: "derived" },
  poll: { interval: 5, deadline: 50, until: () => true },
  reconcile: { tool: Find, arguments: () => ({ id: "" }), found: () => undefined },
  salvage: { path: "rows", narrow: "Ask for fewer rows." }
}

interface Fields {
  readonly [field: string]: unknown
}

/** Returns the policy with one field, whose path may have a dot. */
const withField = (path: string, value: unknown): Fields => {
  const [field = "", nested] = path.split(".")
  // without idempotency, the retries of a write are refused
  const repeatable =
    path === "retry.attempts" ? { idempotency: "derived" } : path === "loop.repeats" ? { repeats: "allowed" } : {}
  return { ...repeatable, [field]: nested === undefined ? value : { ...around[field], [nested]: value } }
}

const messageOf = (create: () => unknown): string => {
  try {
    create()
    return "accepted"
  } catch (error) {
    return error instanceof RangeError ? error.message : `${error}, which is not a RangeError`
  }
}

const write = {
  description: "Sets it. Writes.",
  access: "write",
  parameters: Schema.Struct({ id: Schema.String }),
  success: Schema.Struct({ rows: Schema.Array(Schema.String) })
}

// the casts remove the types, because these tests make mistakes that the compiler refuses
const define = GuardedTool.Service<never>() as unknown as (name: unknown, definition: unknown) => unknown
const dynamic = GuardedTool.dynamic as unknown as (name: unknown, definition: unknown) => unknown
const fromToolkit = GuardedTool.fromToolkit as unknown as (toolkit: unknown, policies: unknown) => unknown
const remote = (policies: unknown) => McpTools.stdio({ command: "none", policies } as never)

const kit = Toolkit.make(Tool.make("set_it", { parameters: Schema.Struct({ id: Schema.String }) }))
const handler = () => Effect.succeed({ rows: [] })

/** The ways in which a program gives fields, each with its fields and a function that gives some of them. */
const ways: ReadonlyArray<readonly [name: string, fields: AcceptedValues, give: (fields: Fields) => unknown]> = [
  ["a class", ofClass, (fields) => define("set_it", { ...write, ...fields })],
  [
    "a dynamic tool",
    { ...ofEachDefinition, description: ["text", "blank"], handler: ["function"], parameters: ["{}", "{ foo }"] },
    (fields) => dynamic("set_it", { access: "write", success: write.success, handler, ...fields })
  ],
  ["the policy of a toolkit", ofToolkit, (fields) => fromToolkit(kit, { set_it: { access: "write", ...fields } })],
  ["the policy of an MCP tool", ofRemote, (fields) => remote({ set_it: fields })],
  ["the policy of a toolbox", ofPolicy, ({ idempotency: _, ...fields }) => Toolbox.policy(fields)(Toolbox.make(Find))],
  ["the policy of a use site", ofUseSite, ({ idempotency: _, ...fields }) => GuardedTool.policy(fields)(Find)]
]

describe("the fields of definitions and policies", () => {
  for (const [name, fields, give] of ways) {
    for (const [path, accepted] of Object.entries(fields)) {
      it(`2.12 ${name} refuses \`${path}\` of a wrong type with the field and the remedy, and accepts the right type`, () => {
        for (const [value, given] of Object.entries(values)) {
          const message = messageOf(() => give(withField(path, given)))
          if (accepted.some((each) => each === value)) assert.strictEqual(message, "accepted", value)
          else {
            assert.match(message, new RegExp(`\\b${path.split(".")[0]}\\b`), value)
            assert.match(
              message,
              /[;:?] .*(write|set a|must|did you mean|annotate|remove|add|such as|say|name|the fields are|the settings are)|did you mean/,
              value
            )
          }
        }
      })
    }
  }

  it("2.12 a definition, a name and a policy that are not an object or a text are refused with the remedy", () => {
    assert.deepStrictEqual(
      [
        messageOf(() => define("set_it", null)),
        messageOf(() => define(5, write)),
        messageOf(() => dynamic("set_it", undefined)),
        messageOf(() => fromToolkit(kit, null)),
        messageOf(() => fromToolkit(kit, { set_it: null })),
        messageOf(() => remote(null)),
        messageOf(() => remote({ set_it: null }))
      ],
      [
        "set_it: a definition is null; write an object with at least `access`, `parameters`, `success`.",
        'The name of a tool is 5; write a string, verb first, such as "search_orders".',
        "set_it: a definition is undefined; write an object with at least `access`, `handler`.",
        'The policies of a toolkit are null: write an object with policies by name, such as { search: { access: "read" } }.',
        'The policy of "set_it" is null: write { set_it: { access: "read" } }, or remove it.',
        '`policies` is null; write an object with policies by name, such as { search: { access: "read" } }.',
        'set_it: a policy must be an object, got null; write { access: "read" } or remove it.'
      ]
    )
  })

  it("2.12 errors in a lookup, a fallback, a check or an idempotency setting name the field inside it", () => {
    const messageWith = (fields: object) => messageOf(() => define("set_it", { ...write, ...fields }))
    assert.deepStrictEqual(
      [
        messageWith({ reconcile: {} }),
        messageWith({ fallbacks: [{ tool: "find" }] }),
        messageWith({ checks: { rows: 1 } }),
        messageWith({ idempotency: null }),
        messageWith({ idempotency: { mode: "derived", ttl: "1 hour" } })
      ],
      [
        "set_it: `reconcile.tool` is undefined; write a tool, such as the class FindOrder (if it is undefined here, its module imports this one).",
        'set_it: `fallbacks[0].tool` is "find"; write a tool, such as the class FindOrder (if it is undefined here, its module imports this one).',
        "set_it: `checks.rows` is 1; write a function.",
        'set_it: `idempotency` is null; write "derived", "key", "none" or an object with `mode`, `fields`, `scope`, `upstreamHonoursKey`, `timeToLive`.',
        "set_it: `idempotency.ttl` is not a field here; the fields are idempotency.mode, idempotency.fields, idempotency.scope, idempotency.upstreamHonoursKey, idempotency.timeToLive."
      ]
    )
  })

  it("2.11 `idempotency`, `repeats` and `reconcile` of a read are refused, because they would be ignored", () => {
    const reconcile = around["reconcile"]
    for (const [field, value] of Object.entries({ idempotency: "derived", repeats: "allowed", reconcile })) {
      const message = `set_it: \`${field}\` is for writes, but \`access\` is read; remove one of them.`
      const fields = { [field]: value }
      assert.strictEqual(
        messageOf(() => define("set_it", { ...write, ...fields, access: "read" })),
        message
      )
      if (field === "reconcile") continue
      assert.strictEqual(
        messageOf(() => dynamic("set_it", { access: "read", handler, ...fields })),
        message
      )
      assert.strictEqual(
        messageOf(() => fromToolkit(kit, { set_it: { access: "read", ...fields } })),
        message
      )
    }
    assert.strictEqual(
      messageOf(() => define("set_it", { ...write, access: "read", idempotency: "none" })),
      "accepted"
    )
    assert.match(
      messageOf(() => GuardedTool.policy({ repeats: "once" })(Find)),
      /^find: `repeats` is for writes/
    )
  })

  it("2.11 `loop.repeats` of a read is refused in a definition, a dynamic tool, a toolkit and at a use site", () => {
    const message = "`loop.repeats` is for writes, but `access` is read; remove one of them."
    const fields = { access: "read", loop: { repeats: 3 } }
    assert.deepStrictEqual(
      [
        messageOf(() => define("set_it", { ...write, ...fields })),
        messageOf(() => dynamic("set_it", { handler, ...fields })),
        messageOf(() => fromToolkit(kit, { set_it: fields })),
        messageOf(() => remote({ set_it: fields })),
        messageOf(() => GuardedTool.policy({ loop: { repeats: 3 } })(Find)),
        messageOf(() => Toolbox.policy({ loop: { repeats: 3 } })(Toolbox.make(Find)))
      ],
      [
        `set_it: ${message}`,
        `set_it: ${message}`,
        `set_it: ${message}`,
        `set_it: ${message}`,
        `find: ${message}`,
        "accepted"
      ]
    )
  })

  it("2.11 `repeats` of a toolbox applies to its writes, so its reads accept it", () => {
    assert.strictEqual(
      messageOf(() => Toolbox.policy({ repeats: "once" })(Toolbox.make(Find))),
      "accepted"
    )
  })
})
