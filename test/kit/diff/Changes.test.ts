/** What changes of tools weigh, in words, with a value for each that breaks. */
import { assert, describe, it } from "@effect/vitest"
import { type JsonSchema, Schema } from "effect"
import { type Change, line } from "#kit/diff/Change"
import { changes } from "#kit/diff/Changes"
import { ofGuarded, type Snapshot, type ToolPromise } from "#kit/diff/Snapshot"
import * as GuardedTool from "#src/tool/GuardedTool"
import { reader } from "./tools.ts"

const closed = (properties: object, required: ReadonlyArray<string> = []) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false
})

const promise = (change: Partial<ToolPromise> = {}): ToolPromise => ({
  description: "Gets one.",
  parameters: closed({ id: { type: "string" } }, ["id"]),
  annotations: {},
  isGuarded: false,
  ...change
})

const snapshot = (tools: Readonly<Record<string, ToolPromise>>): Snapshot => new Map(Object.entries(tools))

const told = (before: ToolPromise, after: ToolPromise) =>
  shown(changes(snapshot({ get_it: before }), snapshot({ get_it: after })))

const shown = (all: ReadonlyArray<Change>) =>
  all.map((change) => [change.weight, line(change), ...(change.weight === "breaking" ? [change.witness?.value] : [])])

const parameters = (before: JsonSchema.JsonSchema, after: JsonSchema.JsonSchema) =>
  told(promise({ parameters: before }), promise({ parameters: after }))

const results = (before: JsonSchema.JsonSchema, after: JsonSchema.JsonSchema, isGuarded = false) =>
  told(promise({ result: before, isGuarded }), promise({ result: after, isGuarded }))

describe("tools", () => {
  it("13.4 that are gone break, those that are new do not; a successor is named", () => {
    const all = changes(
      snapshot({ get_order: promise(), list_all: promise() }),
      snapshot({ fetch_order: promise(), list_all: promise() })
    )
    assert.deepStrictEqual(
      all.map((change) => [change.tool, change.weight, line(change), change.witness?.value]),
      [
        ["get_order", "breaking", "is gone; fetch_order is new", { id: "" }],
        ["fetch_order", "safe", "is new", undefined]
      ]
    )
  })

  it("13.4 that are written in another way have not changed", () => {
    const one = { type: "object", properties: { a: { type: ["string", "null"] } }, required: [] }
    const other = { properties: { a: { anyOf: [{ type: "null" }, { type: "string" }] } }, type: "object" }
    assert.deepStrictEqual(parameters(one, other), [])
  })

  it("13.4 have ids for their changes that stay, and differ", () => {
    const [first] = changes(snapshot({ a: promise() }), snapshot({}))
    const [again] = changes(snapshot({ a: promise(), b: promise() }), snapshot({ b: promise() }))
    const [other] = changes(snapshot({ b: promise() }), snapshot({}))
    assert.strictEqual(first?.id, again?.id)
    assert.notStrictEqual(first?.id, other?.id)
    assert.match(first?.id ?? "", /^[\da-f]{8}$/)
  })
})

describe("parameters", () => {
  it("13.4 that refuse what they took break", () => {
    const before = closed({
      status: { enum: ["placed", "late"] },
      limit: { type: "integer", minimum: 1, maximum: 100 },
      note: { type: "string" },
      tags: { type: "array", items: { type: "string" } }
    })
    const after = closed(
      {
        status: { enum: ["placed", "delayed"] },
        limit: { type: "integer", minimum: 5, maximum: 50 },
        tags: { type: "array", items: { type: "string", maxLength: 2 }, maxItems: 3 },
        region: { type: "string" }
      },
      ["region"]
    )
    assert.deepStrictEqual(parameters(before, after), [
      ["breaking", `parameters requires "region" now`, {}],
      ["breaking", `parameters.status no longer takes "late"`, { status: "late" }],
      ["breaking", "parameters.limit is at least 5 now, it was taken from 1", { limit: 1 }],
      ["breaking", "parameters.limit is at most 50 now, it was taken up to 100", { limit: 100 }],
      ["breaking", `parameters no longer has "note"`, { note: "" }],
      [
        "breaking",
        "parameters.tags has at most 3 items now, it was taken with any number of items",
        { tags: ["", "", "", ""] }
      ],
      [
        "breaking",
        "parameters.tags[] has at most 2 characters now, it was taken with any number of characters",
        { tags: ["aaa"] }
      ],
      ["safe", `parameters.status also takes "delayed"`],
      ["safe", `parameters has a new field "region"`]
    ])
  })

  it("13.4 that take more are safe", () => {
    const before = closed({ id: { type: "string", maxLength: 5 } }, ["id"])
    const after = { type: "object", properties: { id: { type: ["string", "integer"] } } }
    assert.deepStrictEqual(parameters(before, after), [
      ["safe", `parameters no longer requires "id"`],
      ["safe", "parameters.id also takes a number"],
      ["safe", "parameters.id is taken with any number of characters, it had at most 5 characters"],
      ["safe", "parameters takes fields that are not declared"]
    ])
  })

  it("13.4 that declare what they took as it came are told, and break nothing; those that close do", () => {
    const open = { type: "object", properties: {} }
    const declared = { type: "object", properties: { page: { type: "integer" } } }
    assert.deepStrictEqual(parameters(open, declared), [
      ["behavioural", `parameters declares "page", which was taken as it came`]
    ])
    assert.deepStrictEqual(parameters(declared, open), [
      ["behavioural", `parameters no longer declares "page": it is taken as it comes`]
    ])
    assert.deepStrictEqual(parameters(open, closed({})), [
      ["breaking", "parameters refuses fields that are not declared", { extra: null }]
    ])
  })

  it("13.4 that cannot be compared break, and say so", () => {
    const pattern = (pattern: string) => closed({ id: { type: "string", pattern } })
    assert.deepStrictEqual(parameters(pattern("^a+$"), pattern("^a*$")), [
      ["breaking", "parameters.id takes only what matches /^a*$/ (cannot be proven to break nothing)", undefined],
      ["safe", "parameters.id takes what does not match /^a+$/"]
    ])
  })

  it("13.4 tell what models are told: descriptions, defaults, formats, the order of an enum", () => {
    const field = (field: object) => closed({ a: field })
    assert.deepStrictEqual(
      parameters(
        field({ enum: ["x", "y"], description: "One.", default: "x" }),
        field({ enum: ["y", "x"], description: "Two.", default: "y", format: "word" })
      ),
      [
        ["behavioural", "parameters.a has another description"],
        ["behavioural", `parameters.a has the default "y", it was "x"`],
        ["behavioural", `parameters.a has the format "word" now`],
        ["behavioural", "parameters.a lists its values in another order"]
      ]
    )
  })
})

describe("results", () => {
  it("13.4 that may be what they were not break, those that are less do not", () => {
    const before = closed({ status: { enum: ["a", "b"] }, n: { type: "integer" } }, ["status", "n"])
    const after = closed({ status: { enum: ["b", "c"] }, n: { type: ["integer", "null"] } }, ["status"])
    assert.deepStrictEqual(results(before, after), [
      ["breaking", `result may come without "n"`, { status: "b" }],
      ["breaking", `result.status may be "c", which it was not before`, { status: "c" }],
      ["breaking", "result.n may be null, which it was not before", { status: "b", n: null }],
      ["safe", `result.status is no longer "a"`]
    ])
  })

  it("13.4 with a new field break where the schema forbade it, and not where readers drop it", () => {
    const before = closed({ a: { type: "string" } })
    const after = closed({ a: { type: "string" }, b: { type: "string" } })
    assert.deepStrictEqual(results(before, after), [
      ["breaking", `result has a field "b" that was not allowed`, { b: "" }]
    ])
    assert.deepStrictEqual(results(before, after, true), [["safe", `result has a new field "b"`]])
    assert.deepStrictEqual(results(after, before, true), [["safe", `result no longer has "b"`]])
  })

  it("13.4 of which nothing is said any more break", () => {
    const [change] = told(promise({ result: closed({}) }), promise())
    assert.deepStrictEqual(change?.slice(0, 2), [
      "breaking",
      "result may be null, true, false, which it was not before"
    ])
  })
})

describe("what else is promised", () => {
  it("13.4 is told: description, access, annotations", () => {
    const before = promise({ access: "read", annotations: { readOnlyHint: true, title: "One" } })
    const after = promise({ access: "write", description: "Gets all.", annotations: { readOnlyHint: false } })
    assert.deepStrictEqual(told(before, after), [
      ["behavioural", "has another description"],
      ["behavioural", "has the access write, it was read"],
      ["behavioural", "readOnlyHint is false, it was true"],
      ["behavioural", `title is no longer said, it was "One"`]
    ])
  })
})

describe("guarded tools", () => {
  it("13.4 are compared by their contracts", () => {
    const before = ofGuarded([reader({ status: Schema.Literals(["placed", "late"]) }, { id: Schema.String })])
    const after = ofGuarded([reader({ status: Schema.Literals(["placed"]) }, { id: Schema.NullOr(Schema.String) })])
    assert.deepStrictEqual(shown(changes(before, after)), [
      ["breaking", `parameters.status no longer takes "late"`, { status: "late" }],
      ["breaking", "result.id may be null, which it was not before", { id: null }]
    ])
  })

  it("13.4 promise what differs from the defaults of their policy", () => {
    class RefundIt extends GuardedTool.Service<RefundIt>()("refund_it", {
      description: "Refunds one. Writes.",
      access: "destructive",
      critical: true,
      parameters: Schema.Struct({ id: Schema.String }),
      success: Schema.Struct({}),
      idempotency: "key",
      approval: "confirm"
    }) {}
    const [promise] = ofGuarded([RefundIt]).values()
    assert.deepStrictEqual(
      [promise?.access, promise?.annotations, promise?.isGuarded],
      ["destructive", { critical: true, idempotency: "key", approval: "confirm" }, true]
    )
    assert.deepStrictEqual(Object.keys(promise?.parameters["properties"] as object), ["id", "idempotency_key"])
  })
})
