/** Tests the severity and the text of changes of tools, with a witness for each breaking change. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type JsonSchema, Schema } from "effect"
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

const changesBetween = (before: ToolPromise, after: ToolPromise) =>
  shown(changes(snapshot({ get_it: before }), snapshot({ get_it: after })))

const shown = (all: ReadonlyArray<Change>) =>
  all.map((change) => [change.weight, line(change), ...(change.weight === "breaking" ? [change.witness?.value] : [])])

const parameters = (before: JsonSchema.JsonSchema, after: JsonSchema.JsonSchema) =>
  changesBetween(promise({ parameters: before }), promise({ parameters: after }))

const results = (before: JsonSchema.JsonSchema, after: JsonSchema.JsonSchema, isGuarded = false) =>
  changesBetween(promise({ result: before, isGuarded }), promise({ result: after, isGuarded }))

describe("tools", () => {
  it("13.4 a new refusal is a behavioural change, and the removal of a refusal is safe", () => {
    const order = (...refusals: ReadonlyArray<GuardedTool.Refusal>) =>
      ofGuarded([GuardedTool.dynamic("order_item", { access: "write", refusals, handler: () => Effect.succeed({}) })])
    const Closed = Schema.TaggedStruct("Closed", {})
    const Sold = Schema.TaggedStruct("SoldOut", {})
    assert.deepStrictEqual(shown(changes(order(Closed), order(Sold))), [
      ["behavioural", "the refusal sold_out is new"],
      ["safe", "the refusal closed is no longer declared"]
    ])
    assert.deepStrictEqual(shown(changes(order(Closed), order({ error: Closed, as: "ToolArgError" }))), [
      ["behavioural", 'the refusal closed has the class "ToolArgError", was "Permanent"']
    ])
    assert.deepStrictEqual(changes(order(Closed), order(Closed)), [])
  })

  it("13.4 a removed tool is a breaking change that names a successor, and a new tool is not breaking", () => {
    const all = changes(
      snapshot({ get_order: promise(), list_all: promise() }),
      snapshot({ fetch_order: promise(), list_all: promise() })
    )
    assert.deepStrictEqual(
      all.map((change) => [change.tool, change.weight, line(change), change.witness?.value]),
      [
        ["get_order", "breaking", "was removed; fetch_order is new", { id: "" }],
        ["fetch_order", "safe", "is new", undefined]
      ]
    )
  })

  it("13.4 a tool in another notation has not changed", () => {
    const one = { type: "object", properties: { a: { type: ["string", "null"] } }, required: [] }
    const other = { properties: { a: { anyOf: [{ type: "null" }, { type: "string" }] } }, type: "object" }
    assert.deepStrictEqual(parameters(one, other), [])
  })

  it("2.4 a union of scalars in a committed lock and its compact form are one contract", () => {
    const described = { description: "When.", default: null }
    const before = closed({
      date_restrict: { anyOf: [{ type: "string", enum: ["d", "w"] }, { type: "null" }], ...described },
      id: { anyOf: [{ type: "integer", minimum: 1 }, { type: "string" }, { type: "null" }] },
      code: {
        anyOf: [
          { type: "string", enum: ["a"] },
          { type: "number", enum: [1] }
        ]
      }
    })
    const after = closed({
      date_restrict: { type: ["string", "null"], enum: ["d", "w", null], ...described },
      id: { type: ["integer", "string", "null"], minimum: 1 },
      code: { type: ["string", "number"], enum: ["a", 1] }
    })
    assert.deepStrictEqual(parameters(before, after), [])
    assert.deepStrictEqual(parameters(after, before), [])
  })

  it("13.4 each change has a stable, distinct id", () => {
    const [first] = changes(snapshot({ a: promise() }), snapshot({}))
    const [again] = changes(snapshot({ a: promise(), b: promise() }), snapshot({ b: promise() }))
    const [other] = changes(snapshot({ b: promise() }), snapshot({}))
    assert.strictEqual(first?.id, again?.id)
    assert.notStrictEqual(first?.id, other?.id)
    assert.match(first?.id ?? "", /^[\da-f]{8}$/)
  })
})

describe("parameters", () => {
  it("13.4 refusing a value that was accepted is breaking", () => {
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
      ["breaking", `parameters now requires "region"`, {}],
      ["breaking", `parameters.status no longer accepts "late"`, { status: "late" }],
      ["breaking", "parameters.limit is now at least 5, was at least 1", { limit: 1 }],
      ["breaking", "parameters.limit is now at most 50, was at most 100", { limit: 100 }],
      ["breaking", `parameters no longer has "note"`, { note: "" }],
      ["breaking", "parameters.tags now has at most 3 items, had any number of items", { tags: ["", "", "", ""] }],
      ["breaking", "parameters.tags[] now has at most 2 characters, had any number of characters", { tags: ["aaa"] }],
      ["safe", `parameters.status also accepts "delayed"`],
      ["safe", `parameters has a new field "region"`]
    ])
  })

  it("13.4 accepting more values is safe", () => {
    const before = closed({ id: { type: "string", maxLength: 5 } }, ["id"])
    const after = { type: "object", properties: { id: { type: ["string", "integer"] } } }
    assert.deepStrictEqual(parameters(before, after), [
      ["safe", `parameters no longer requires "id"`],
      ["safe", "parameters.id also accepts a number"],
      ["safe", "parameters.id now has any number of characters, had at most 5 characters"],
      ["safe", "parameters also accepts undeclared fields"]
    ])
  })

  it("13.4 declaring a field that was accepted is behavioural, and refusing undeclared fields is breaking", () => {
    const open = { type: "object", properties: {} }
    const declared = { type: "object", properties: { page: { type: "integer" } } }
    assert.deepStrictEqual(parameters(open, declared), [
      ["behavioural", `parameters now declares "page", which accepted any value`]
    ])
    assert.deepStrictEqual(parameters(declared, open), [
      ["behavioural", `parameters no longer declares "page", which now accepts any value`]
    ])
    assert.deepStrictEqual(parameters(open, closed({})), [
      ["breaking", "parameters no longer accepts undeclared fields", { extra: null }]
    ])
  })

  it("13.4 a change that cannot be compared is breaking, with a remark", () => {
    const pattern = (pattern: string) => closed({ id: { type: "string", pattern } })
    assert.deepStrictEqual(parameters(pattern("^a+$"), pattern("^a*$")), [
      ["breaking", "parameters.id accepts only strings that match /^a*$/ (compatibility not proven)", undefined],
      ["safe", "parameters.id also accepts strings that do not match /^a+$/"]
    ])
  })

  it("13.4 a changed description, default, format or enum order is behavioural", () => {
    const field = (field: object) => closed({ a: field })
    assert.deepStrictEqual(
      parameters(
        field({ enum: ["x", "y"], description: "One.", default: "x" }),
        field({ enum: ["y", "x"], description: "Two.", default: "y", format: "word" })
      ),
      [
        ["behavioural", "parameters.a has a different description"],
        ["behavioural", `parameters.a has the default "y", was "x"`],
        ["behavioural", `parameters.a now has the format "word"`],
        ["behavioural", "parameters.a lists its values in a different order"]
      ]
    )
  })
})

describe("results", () => {
  it("13.4 new possible values are breaking, and fewer values are safe", () => {
    const before = closed({ status: { enum: ["a", "b"] }, n: { type: "integer" } }, ["status", "n"])
    const after = closed({ status: { enum: ["b", "c"] }, n: { type: ["integer", "null"] } }, ["status"])
    assert.deepStrictEqual(results(before, after), [
      ["breaking", `result may now omit "n"`, { status: "b" }],
      ["breaking", `result.status may now be "c"`, { status: "c" }],
      ["breaking", "result.n may now be null", { status: "b", n: null }],
      ["safe", `result.status is no longer "a"`]
    ])
  })

  it("13.4 a new field is breaking if the schema forbade it, and safe if readers drop it", () => {
    const before = closed({ a: { type: "string" } })
    const after = closed({ a: { type: "string" }, b: { type: "string" } })
    assert.deepStrictEqual(results(before, after), [
      ["breaking", `result has a new field "b", which was not allowed`, { b: "" }]
    ])
    assert.deepStrictEqual(results(before, after, true), [["safe", `result has a new field "b"`]])
    assert.deepStrictEqual(results(after, before, true), [["safe", `result no longer has "b"`]])
  })

  it("13.4 a result that is no longer declared is breaking", () => {
    const [change] = changesBetween(promise({ result: closed({}) }), promise())
    assert.deepStrictEqual(change?.slice(0, 2), ["breaking", "result may now be null, true, false"])
  })
})

describe("other promises", () => {
  it("13.4 a changed description, access or annotation is behavioural", () => {
    const before = promise({ access: "read", annotations: { readOnlyHint: true, title: "One" } })
    const after = promise({ access: "write", description: "Gets all.", annotations: { readOnlyHint: false } })
    assert.deepStrictEqual(changesBetween(before, after), [
      ["behavioural", "has a different description"],
      ["behavioural", "has the access write, was read"],
      ["behavioural", "readOnlyHint is false, was true"],
      ["behavioural", `title is no longer declared, was "One"`]
    ])
  })
})

describe("guarded tools", () => {
  it("13.4 are compared by their contracts", () => {
    const before = ofGuarded([reader({ status: Schema.Literals(["placed", "late"]) }, { id: Schema.String })])
    const after = ofGuarded([reader({ status: Schema.Literals(["placed"]) }, { id: Schema.NullOr(Schema.String) })])
    assert.deepStrictEqual(shown(changes(before, after)), [
      ["breaking", `parameters.status no longer accepts "late"`, { status: "late" }],
      ["breaking", "result.id may now be null", { id: null }]
    ])
  })

  it("13.4 promise the policies that differ from the defaults", () => {
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
