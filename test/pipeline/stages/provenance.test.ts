import { entityId } from "#domain/schema/EntityId"
import { GuardedTurn } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ask, brief, failureOf, outside, settled, tool, turn, within } from "../support.ts"

const OrderId = Schema.String.pipe(entityId({ lookup: "search_orders" }))

const get = (parameters: Schema.Top = Schema.Struct({ id: OrderId }), ...answers: ReadonlyArray<unknown>) =>
  tool("get_order", { parameters }, ...(answers.length === 0 ? [{ n: 1 }] : answers))

const saw = (text: string, over: object = {}) =>
  Effect.flatMap(GuardedTurn, (guard) => guard.saw({ ...turn, ...over }, text))

describe("provenance", () => {
  it.effect("4.5 an id that appears nowhere is refused, and the hint names the tool that looks up ids", () => {
    const fixture = get()
    return Effect.gen(function* () {
      const { attempts, decisions, envelope } = yield* ask([fixture.tool], "get_order", '{"id":"o-77"}')
      assert.deepStrictEqual(
        [envelope.error.error_class, envelope.error.code, envelope.error.fields, envelope.error.next_step],
        ["tool_arg_error", "unseen_id", ["id"], "fix_arguments"]
      )
      assert.strictEqual(envelope.error.hint, "Look it up with search_orders first.")
      assert.notInclude(envelope.error.message, "o-77")
      assert.deepStrictEqual(
        [decisions, attempts, fixture.runs()],
        [[{ stage: "provenance", decision: "refused", reason: "id appears nowhere in the conversation" }], 0, 0]
      )
    }).pipe(within([fixture.layer]))
  })

  it.effect("4.5 without a lookup the hint says not to invent ids", () => {
    const fixture = get(Schema.Struct({ id: Schema.String.pipe(entityId()) }))
    return Effect.gen(function* () {
      const failure = yield* failureOf(fixture.tool.call({ id: "o-77" }))
      assert.deepStrictEqual(brief(failure), ["ToolArgError", "unseen_id", "none"])
      assert.strictEqual(failure.hint, "Look the id up first; do not invent one.")
    }).pipe(within([fixture.layer]))
  })

  it.effect("4.5 an id that the user wrote or that an earlier result contained is accepted", () => {
    const fixture = get()
    return Effect.gen(function* () {
      yield* saw("Where is my order o-77?")
      yield* saw('{"status":"success","data":{"orders":["o-78"]}}')
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ id: "o-77" })), { n: 1 })
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ id: "o-78" })), { n: 1 })
      assert.strictEqual(fixture.runs(), 2)
    }).pipe(within([fixture.layer]))
  })

  it.effect("4.5 a refusal is not remembered, so that the same call runs after the id was seen", () => {
    const fixture = get()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ id: "o-77" })), ["ToolArgError", "unseen_id", "none"])
      yield* saw("o-77")
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ id: "o-77" })), { n: 1 })
    }).pipe(within([fixture.layer]))
  })

  it.effect("4.5 ids of an earlier turn count as seen, but ids of another conversation or tenant do not", () => {
    const fixture = get()
    return Effect.gen(function* () {
      yield* saw("o-77", { conversation: "another" })
      yield* saw("o-77", { tenant: "another" })
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ id: "o-77" })), ["ToolArgError", "unseen_id", "none"])
      yield* saw("o-77", { turn: "earlier" })
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ id: "o-77" })), { n: 1 })
    }).pipe(within([fixture.layer]))
  })

  it.effect("4.5 the failure names the path of the first unseen id", () => {
    const fixture = get(Schema.Struct({ items: Schema.Array(Schema.Struct({ id: Schema.optionalKey(OrderId) })) }))
    return Effect.gen(function* () {
      yield* saw("o-1")
      const failure = yield* failureOf(fixture.tool.call({ items: [{ id: "o-1" }, {}, { id: "o-2" }, { id: "o-3" }] }))
      assert.deepStrictEqual(failure.fields, ["items[2].id"])
    }).pipe(within([fixture.layer]))
  })

  it.effect("4.5 an id that is a default of the schema is accepted", () => {
    const parameters = Schema.Struct({
      project: OrderId.pipe(Schema.withDecodingDefaultKey(Effect.succeed("main"))).annotate({ default: "main" })
    })
    const fixture = get(parameters)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(fixture.tool.call({})), { n: 1 })
      assert.deepStrictEqual(fixture.calls[0]?.args, { project: "main" })
    }).pipe(within([fixture.layer]))
  })

  it.effect("4.5 an id with quotes and backslashes is found in the JSON of a result", () => {
    const fixture = get()
    const id = 'C:\\orders\\"7"'
    return Effect.gen(function* () {
      yield* saw(JSON.stringify({ status: "success", data: [id] }))
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ id })), { n: 1 })
    }).pipe(within([fixture.layer]))
  })

  it.effect("4.5 outside a turn no id is checked", () => {
    const fixture = get()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ id: "o-77" })), { n: 1 })
    }).pipe(outside([fixture.layer]))
  })

  it.effect("4.5 ids in a fallback's arguments are not checked", () => {
    const other = tool("get_cached_order", { parameters: Schema.Struct({ key: OrderId }) }, { n: 2 })
    const fixture = tool(
      "get_order",
      {
        parameters: Schema.Struct({ id: OrderId }),
        fallbacks: [{ tool: other.tool, arguments: ({ id }: { readonly id: string }) => ({ key: `cache:${id}` }) }]
      },
      Effect.die(new Error("crashed"))
    )
    return Effect.gen(function* () {
      yield* saw("o-77")
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ id: "o-77" })), { n: 2 })
    }).pipe(within([fixture.layer, other.layer]))
  })
})
