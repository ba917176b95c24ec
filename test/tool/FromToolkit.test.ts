/** Tests guarded toolkits of effect/ai. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { Chat, LanguageModel, McpProtocol, McpServer, McpTest, Tool, Toolkit } from "effect/ai"
import * as Verdict from "#domain/tool/Verdict"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as ScriptedModel from "#layers/ScriptedModel"
import { Guard } from "#src/guard/Guard"
import * as GuardedModel from "#src/host/GuardedModel"
import * as GuardedTool from "#src/tool/GuardedTool"

const { call } = ScriptedModel

class Db extends Context.Service<Db, { readonly rows: ReadonlyArray<string> }>()("test/Db") {}
class Tenant extends Context.Service<Tenant, string>()("test/Tenant") {}

class Gone extends Schema.TaggedError<Gone>()("Gone", { message: Schema.String, status: Schema.Int }) {}

const FindOrder = Tool.make("find_order", {
  description: "Finds an order.",
  parameters: Schema.Struct({
    id: Schema.String.annotate({ description: "Order id." }),
    since: Schema.optionalKey(Schema.DateTimeUtcFromString)
  }),
  success: Schema.Struct({ id: Schema.String, since: Schema.NullOr(Schema.DateTimeUtc) }),
  failure: Gone
}).annotate(Tool.Readonly, true)

const Refund = Tool.make("refund", {
  description: "Refunds.",
  parameters: Schema.Struct({ cents: Schema.Int }),
  success: Schema.Void,
  needsApproval: ({ cents }) => (cents === 13 ? Effect.die("broken") : cents > 100)
}).annotate(Tool.Destructive, true)

const Note = Tool.make("note", { success: Schema.Unknown, failure: Schema.String, failureMode: "return" })

const Who = Tool.make("who", { success: Schema.String, dependencies: [Tenant] })

const Raw = Tool.dynamic("raw.call", {
  parameters: { type: "object", properties: { n: { type: "integer", minimum: 1, format: "odd" } }, required: ["n"] },
  success: Schema.Json
})

const Desk = Toolkit.make(FindOrder, Refund, Note, Who, Raw)

/** Provides the unguarded handlers of the toolkit, which require a service. */
const DeskHandlers = (runs: Array<string>) =>
  Desk.toLayer(
    Effect.map(Db, (db) =>
      Desk.of({
        find_order: ({ id, since }) =>
          Effect.suspend(() => {
            runs.push(`find_order ${id}`)
            if (id === "missing") return Effect.fail(new Gone({ message: "The order was deleted.", status: 404 }))
            // the type is wrong on purpose
            if (id === "bad") return Effect.succeed({ id: 1 as never, since: null })
            return Effect.succeed({ id: db.rows[0] ?? "", since: since ?? null })
          }),
        refund: ({ cents }) => Effect.sync(() => void runs.push(`refund ${cents}`)),
        note: () => Effect.succeed("plain text"),
        who: () => Effect.map(Tenant, (tenant) => `tenant ${tenant}`),
        "raw.call": (args) => Effect.succeed({ got: args as Schema.Json })
      })
    )
  ).pipe(Layer.provide(Layer.succeed(Db, { rows: ["O-1"] })))

const box = GuardedTool.fromToolkit(Desk, {
  refund: { timeout: "2 seconds" },
  note: { access: "read" },
  who: { access: "read" },
  "raw.call": { access: "read" }
})

const setup = (answers: ReadonlyArray<EscalationScripted.ScriptedAnswer> = []) => {
  const runs: Array<string> = []
  const guard = Guard.layerMemoryWith(EscalationScripted.layer(answers))
  return { runs, guard, layer: Layer.mergeAll(DeskHandlers(runs), guard, Layer.succeed(Tenant, "acme")) }
}

const ask = (name: string, args: unknown) =>
  Effect.map(box.answer({ name, arguments: args, callId: "c1" }), ({ text }) => {
    const { data, error, status } = JSON.parse(text)
    return error === undefined ? [status, data] : [error.error_class, error.code, error.message]
  })

describe("fromToolkit", () => {
  it.effect("11.4 keeps the names and the handlers of the tools", () => {
    const { layer, runs } = setup()
    return Effect.gen(function* () {
      assert.deepStrictEqual([...box.names], ["find_order", "refund", "note", "who", "raw.call"])
      const found = yield* box.get("find_order").call({ id: "a" })
      assert.deepStrictEqual(found, { id: "O-1", since: null })
      assert.deepStrictEqual(runs, ["find_order a"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("2.4, 11.4 advertises a closed schema and decodes what it advertises", () => {
    const { layer } = setup()
    return Effect.gen(function* () {
      const { jsonSchema } = box.get("find_order")
      assert.deepStrictEqual(jsonSchema, {
        type: "object",
        properties: { id: { type: "string", description: "Order id." }, since: { type: "string" } },
        required: ["id"],
        additionalProperties: false
      })
      assert.deepStrictEqual(yield* ask("find_order", { id: "a", since: "2026-01-02T03:04:05.000Z" }), [
        "success",
        { id: "O-1", since: "2026-01-02T03:04:05.000Z" }
      ])
      assert.deepStrictEqual((yield* ask("find_order", { id: "a", page: 2 })).slice(0, 2), [
        "tool_arg_error",
        "invalid_arguments"
      ])
      assert.deepStrictEqual((yield* ask("find_ordr", {}))[1], "unknown_tool")
      assert.deepStrictEqual((yield* ask("find_order", '{"id": "a'))[1], "truncated_arguments")
    }).pipe(Effect.provide(layer))
  })

  it.effect("3.1, 11.4 classifies declared failures and checks results against `success`", () => {
    const { layer } = setup()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask("find_order", { id: "missing" }), [
        "permanent",
        "not_found",
        'The order was deleted. {"status":404}'
      ])
      assert.deepStrictEqual((yield* ask("find_order", { id: "bad" }))[0], "schema_mismatch")
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "3.5, 11.4 a model reads the fields of a declared failure, which is a refusal if the policy lists its tag",
    () => {
      const NoSuch = Schema.TaggedStruct("NoSuch", { id: Schema.String })
      const cancel = Tool.make("cancel", {
        parameters: Schema.Struct({ id: Schema.String }),
        failure: Schema.Union([NoSuch, Gone])
      })
      const kit = Toolkit.make(cancel)
      const handlers = kit.toLayer(kit.of({ cancel: ({ id }) => Effect.fail(NoSuch.make({ id })) }))
      const plain = GuardedTool.fromToolkit(kit, { cancel: { access: "write" } })
      const refusing = GuardedTool.fromToolkit(kit, { cancel: { access: "write", refusals: ["NoSuch"] } })
      const layer = Layer.mergeAll(handlers, Guard.layerMemory)
      const errorOf = (box: typeof plain | typeof refusing) =>
        Effect.map(
          box.answer({ name: "cancel", callId: "1", arguments: { id: "7" } }),
          ({ text }) => JSON.parse(text).error
        )
      return Effect.gen(function* () {
        const undeclared = yield* errorOf(plain)
        assert.deepStrictEqual(
          [undeclared.code, undeclared.message, undeclared.side_effect],
          ["tool_failed", 'The tool failed: NoSuch {"id":"7"}', "unknown"]
        )
        const declared = yield* errorOf(refusing)
        assert.deepStrictEqual(
          [declared.code, declared.message, declared.details, declared.side_effect],
          ["no_such", "No such: id 7.", { id: "7" }, "none"]
        )
        const caught = refusing
          .get("cancel")
          .call({ id: "8" })
          .pipe(Effect.catchTag("NoSuch", ({ id }) => Effect.succeed(id)))
        assert.strictEqual(yield* caught, "8")
        assert.throws(
          () => GuardedTool.fromToolkit(kit, { cancel: { access: "write", refusals: ["Nope" as "NoSuch"] } }),
          'cancel: no failure of the tool has the tag "Nope"; its tags are NoSuch, Gone.'
        )
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("11.4 supports text results, tools without parameters and raw JSON Schemas", () => {
    const { layer } = setup()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask("note", {}), ["success", "plain text"])
      assert.deepStrictEqual(yield* ask("who", {}), ["success", "tenant acme"])
      assert.deepStrictEqual(yield* ask("raw.call", { n: 3, more: true }), ["success", { got: { n: 3, more: true } }])
      assert.deepStrictEqual((yield* ask("raw.call", { n: 0 }))[1], "invalid_arguments")
      assert.deepStrictEqual((yield* ask("note", { extra: 1 }))[1], "invalid_arguments")
    }).pipe(Effect.provide(layer))
  })

  it.effect("11.4 needsApproval asks a person through the guard and fails closed", () => {
    const { layer, runs } = setup(["deny", "approve"])
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask("refund", { cents: 5 }), ["success", null])
      assert.strictEqual((yield* ask("refund", { cents: 500 }))[1], "approval_denied")
      assert.strictEqual((yield* ask("refund", { cents: 13 }))[0], "success")
      assert.strictEqual((yield* ask("refund", { cents: 13 }))[1], "no_person")
      assert.deepStrictEqual(runs, ["refund 5", "refund 13"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("2.1, 11.4 a layer replaces a handler in a test", () => {
    const { layer, runs } = setup()
    const replaced = box.get("find_order").layerTest(({ id }) => Effect.succeed({ id: `${id}!`, since: null }))
    return Effect.gen(function* () {
      assert.deepStrictEqual((yield* ask("find_order", { id: "a" }))[1], { id: "a!", since: null })
      assert.deepStrictEqual(runs, [])
    }).pipe(Effect.provide(Layer.merge(layer, replaced)))
  })

  it.effect("11.4 guards the tools of a host that uses the handlers of the toolbox", () => {
    const { guard, layer, runs } = setup()
    const handlers = box.handlers.pipe(Layer.provideMerge(layer))
    const model = GuardedModel.layer.pipe(
      Layer.provide(
        ScriptedModel.layer([
          [call("find_order", { id: "bad" }), call("find_order", { id: "bad" }), call("nope", {})],
          call("find_order", { id: "bad" }),
          "done"
        ])
      ),
      Layer.provide(guard)
    )
    return Effect.gen(function* () {
      const chat = yield* Chat.empty
      const first = yield* chat.generateText({ prompt: "Hello", toolkit: box.toolkit })
      const second = yield* chat.generateText({ prompt: [], toolkit: box.toolkit })
      // the type of a result does not include failures
      const codes = [...first.toolResults, ...second.toolResults].map(({ result }) => (result as any).error.code)
      assert.deepStrictEqual(codes, ["invalid_result", "invalid_result", "unknown_tool", "invalid_result"])
      assert.deepStrictEqual(runs, ["find_order bad"])
    }).pipe(Guard.turn, Effect.provide(Layer.mergeAll(handlers, model)))
  })

  it.effect("11.4 a host with only the toolkit's handlers cannot run the tools of the toolbox", () => {
    const { layer, runs } = setup()
    return Effect.gen(function* () {
      // the compiler cannot distinguish the handlers, because both handle a tool with this name
      const ended = yield* Effect.exit(LanguageModel.generateText({ prompt: "Hello", toolkit: box.toolkit }))
      assert.strictEqual(ended._tag, "Failure")
      assert.deepStrictEqual(runs, [])
    }).pipe(Effect.provide(Layer.mergeAll(layer, ScriptedModel.layer([call("find_order", { id: "a" })]))))
  })

  it.effect("11.4 guards the tools of an MCP server of effect/ai", () => {
    const { layer, runs } = setup()
    const served = McpServer.toolkit(box.toolkit).pipe(Layer.provide(box.handlers), Layer.provide(layer))
    return Effect.gen(function* () {
      const client = yield* McpTest.makeClient(served, { protocols: [McpProtocol.v2025_11_25] })
      // the casts are needed because the client's types know neither the tool nor the kind of its content
      const { content, isError } = yield* client.callTool({ name: "find_order", arguments: { id: "a", x: 1 } } as never)
      assert.strictEqual(isError, true)
      assert.include((content[0] as any).text, "invalid_arguments")
      assert.deepStrictEqual(runs, [])
    }).pipe(Effect.scoped)
  })

  it.effect("4.10 applies the checks of a policy to results", () => {
    const { layer } = setup()
    const checked = GuardedTool.fromToolkit(Toolkit.make(FindOrder), {
      find_order: {
        checks: {
          same: ({ id }, { arguments: { id: requested } }) =>
            id === requested
              ? Verdict.ok
              : Verdict.garbage({ code: "other_order", detail: "The result is another order.", hint: "Stop." })
        }
      }
    })
    return Effect.gen(function* () {
      const { text } = yield* checked.answer({ name: "find_order", arguments: { id: "a" }, callId: "c1" })
      assert.strictEqual(JSON.parse(text).error.code, "other_order")
    }).pipe(Effect.provide(layer))
  })

  it("11.4 lists constraints that are decoded but not advertised", () => {
    const weak = GuardedTool.fromToolkit(
      Toolkit.make(
        Tool.make("weak", { parameters: Schema.Struct({ s: Schema.String.check(Schema.isPattern(/^a/)) }) }).annotate(
          Tool.Readonly,
          true
        )
      )
    ).get("weak")
    assert.deepStrictEqual(
      weak.unadvertised.map(({ path }) => path),
      ["s"]
    )
    assert.strictEqual(weak.jsonSchema["additionalProperties"], false)
    const list = (name: "find_order" | "refund") => box.get(name).unadvertised.map(({ path }) => path)
    assert.deepStrictEqual([list("find_order"), list("refund")], [["since"], []])
    const odd = GuardedTool.fromToolkit(
      Toolkit.make(
        Tool.dynamic("odd", { parameters: { type: "object", properties: { n: { type: "int" } } } }).annotate(
          Tool.Readonly,
          true
        )
      )
    ).get("odd")
    assert.deepStrictEqual(
      odd.unchecked.map(({ pointer }) => pointer),
      ["/properties/n/type"]
    )
  })

  it("11.4 derives the access from annotations, and requires a stated access without annotations", () => {
    const access = (tool: Tool.Any) => {
      try {
        return [...GuardedTool.fromToolkit(Toolkit.make(tool)).tools.values()][0]?.access
      } catch (error) {
        return (error as RangeError).message
      }
    }
    const custom = Tool.make("custom")
    assert.strictEqual(access(custom.annotate(Tool.Readonly, true)), "read")
    assert.strictEqual(access(custom.annotate(Tool.Readonly, false)), "destructive")
    assert.strictEqual(access(custom.annotate(Tool.Destructive, false)), "write")
    assert.strictEqual(access(custom.annotate(Tool.Destructive, true)), "destructive")
    assert.strictEqual(
      access(custom),
      'The access of "custom" is unknown: set { custom: { access: "read" } }, or annotate it with Tool.Readonly.'
    )
    assert.throws(
      () => GuardedTool.fromToolkit(Toolkit.make(custom), { custom: { access: "write", retry: { attempts: 2 } } }),
      RangeError,
      "a write is retried only with"
    )
    const search = Tool.providerDefined({
      id: "openai.web_search",
      customName: "WebSearch",
      providerName: "web_search"
    })()
    assert.throws(
      () => GuardedTool.fromToolkit(Toolkit.make(search)),
      RangeError,
      '"WebSearch" is run by the provider, where it cannot be guarded'
    )
    // the cast is needed because the compiler would refuse the misspelt name
    const other = { custom: { access: "read" }, custm: { access: "read" } } as const
    assert.throws(
      () => GuardedTool.fromToolkit(Toolkit.make(custom), other as never),
      RangeError,
      'The toolkit has no tool named "custm".'
    )
  })
})
