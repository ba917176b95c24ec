/** Serves guarded tools over MCP in every protocol version, in memory but with the real encoding. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Queue, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { McpProtocol, McpSchema, type McpServer, McpTest } from "effect/ai"
import * as HaltsMemory from "#layers/HaltsMemory"
import { Halts } from "#services/Halts"
import { Guard } from "#src/guard/Guard"
import * as Shadow from "#src/guard/Shadow"
import * as McpServe from "#src/mcp/serve/McpServe"
import * as Toolbox from "#src/tool/Toolbox"
import { tool } from "../pipeline/support.ts"
import { box, desk } from "./support.ts"

const versions = [
  McpProtocol.v2024_11_05,
  McpProtocol.v2025_03_26,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_11_25,
  McpProtocol.v2026_07_28
] as const

type Desk = ReturnType<typeof desk>

const client = (
  { layer }: Desk,
  protocol: (typeof versions)[number],
  clientCapabilities: McpSchema.ClientCapabilities = new McpSchema.ClientCapabilities({})
): Effect.Effect<McpTest.Client, never, Scope.Scope> =>
  McpTest.makeClient(McpServe.layer(box).pipe(Layer.provide(layer)), {
    protocols: [protocol],
    clientCapabilities
  }).pipe(Effect.orDie) as Effect.Effect<McpTest.Client, never, Scope.Scope>

/** Calls a tool. The cast is needed because the client's type lists only named tools. */
const call = (to: McpTest.Client, name: string, args: object, meta?: object) =>
  to.callTool({ name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) } as never)

const envelopeOf = ({ content }: McpSchema.CallToolResult): any => JSON.parse((content[0] as { text: string }).text)

describe("mcp serve of a tool that is halted", () => {
  it.effect("10.7 refuses its calls while it is halted, and answers them after its resumption", () =>
    Effect.gen(function* () {
      const own = tool("refund", { access: "write" }, { n: 1 })
      const guard = Guard.layerMemoryWith(Layer.fresh(HaltsMemory.layer))
      const context = yield* Layer.build(guard)
      const served = McpServe.layer(Toolbox.make(own.tool)).pipe(
        Layer.provide(Layer.merge(own.layer, Layer.succeedContext(context)))
      ) as Layer.Layer<never, never, McpServer.McpServer>
      const to = yield* McpTest.makeClient(served, {
        protocols: [McpProtocol.v2025_11_25],
        clientCapabilities: new McpSchema.ClientCapabilities({})
      })
      const operator = Context.get(context, Halts)
      yield* operator.halt({ tool: "refund", by: "ana", reason: "doubled" })
      const refused = yield* call(to, "refund", { q: "a" })
      assert.deepStrictEqual([refused.isError, envelopeOf(refused).error.code, own.runs()], [true, "halted", 0])
      yield* operator.resume({ tool: "refund", by: "ana", reason: "" })
      assert.strictEqual(envelopeOf(yield* call(to, "refund", { q: "a" })).status, "success")
      assert.strictEqual(own.runs(), 1)
    }).pipe(Effect.scoped)
  )
})

describe("mcp serve of a result that violates `success`", () => {
  it.effect(
    "2.2 advertises `data` of any shape if the tool only advises, also in a share of conversations, and passes the result as structured content",
    () =>
      Effect.forEach(["advise", { share: 0 }] as const, (enforce) =>
        Effect.gen(function* () {
          const own = tool("read_order", { enforce }, '{"n":"three"}')
          const served = McpServe.layer(Toolbox.make(own.tool)).pipe(
            Layer.provide(Layer.merge(own.layer, Guard.layerMemory))
          ) as Layer.Layer<never, never, McpServer.McpServer>
          const to = yield* McpTest.makeClient(served, {
            protocols: [McpProtocol.v2025_11_25],
            clientCapabilities: new McpSchema.ClientCapabilities({})
          })
          const { tools } = yield* to.listTools()
          assert.deepStrictEqual((tools[0] as any).outputSchema.properties.data, {
            description: "The result as the tool returned it."
          })
          const result = (yield* call(to, "read_order", { q: "a" })) as any
          assert.deepStrictEqual(result.structuredContent, { status: "success", data: { n: "three" } })
        }).pipe(Effect.scoped)
      )
  )

  it.effect(
    "13.1 behind the shadow guard, omits the violating `data` from the structured content, but not from the text",
    () =>
      Effect.gen(function* () {
        const own = tool("read_order", {}, '{"n":"three"}')
        const served = McpServe.layer(Toolbox.make(own.tool)).pipe(
          Layer.provide(Layer.merge(own.layer, Shadow.layerMemory))
        ) as Layer.Layer<never, never, McpServer.McpServer>
        const to = yield* McpTest.makeClient(served, {
          protocols: [McpProtocol.v2025_11_25],
          clientCapabilities: new McpSchema.ClientCapabilities({})
        })
        const result = (yield* call(to, "read_order", { q: "a" })) as any
        assert.deepStrictEqual(result.structuredContent, { status: "success" })
        assert.deepStrictEqual(envelopeOf(result), { status: "success", data: { n: "three" } })
      }).pipe(Effect.scoped)
  )
})

for (const protocol of versions) {
  const version = protocol.protocolVersion
  describe(`mcp serve, ${version}`, () => {
    it.effect("13.7 lists closed schemas, the schema of envelopes, and hints derived from the access", () =>
      Effect.gen(function* () {
        const { tools } = yield* (yield* client(desk(), protocol)).listTools()
        // the client does not type the extensions of a tool
        const search = tools.find(({ name }) => name === "search") as any
        assert.deepStrictEqual(search.inputSchema, {
          type: "object",
          properties: { q: { type: "string" } },
          required: ["q"],
          // Effect omits the field if the schema of the version does not have it
          ...(version >= "2025-06-18" ? { additionalProperties: false } : {})
        })
        const hints = (name: string) => tools.find((tool) => tool.name === name)?.annotations
        if (version >= "2025-03-26") {
          assert.include(hints("search"), { readOnlyHint: true, destructiveHint: false, idempotentHint: true })
          assert.include(hints("refund_order"), {
            title: "Refund order",
            readOnlyHint: false,
            destructiveHint: true,
            idempotentHint: true
          })
        } else assert.notProperty(search, "title")
        if (version >= "2025-06-18") {
          assert.deepStrictEqual(search.outputSchema.properties.status.enum, ["success", "partial", "error"])
          assert.deepStrictEqual(search.outputSchema.properties.data.required, ["n", "note"])
        } else assert.isUndefined(search.outputSchema)
      }).pipe(Effect.scoped)
    )

    it.effect("13.7 answers with an envelope for a success, for invalid arguments and for a broken answer", () => {
      const served = desk()
      return Effect.gen(function* () {
        const to = yield* client(served, protocol)
        const good = yield* call(to, "search", { q: "a" })
        assert.strictEqual(good.isError, false)
        assert.deepStrictEqual(envelopeOf(good), { status: "success", data: { n: 1, note: "" } })
        const wrong = yield* call(to, "search", { qq: "a" })
        assert.strictEqual(wrong.isError, true)
        assert.strictEqual(envelopeOf(wrong).error.code, "invalid_arguments")
        const cut = yield* call(to, "search", { q: "cut" })
        assert.strictEqual(envelopeOf(cut).error.code, "truncated_response")
        for (const result of [good, wrong, cut]) {
          assert.deepStrictEqual(result.structuredContent, version >= "2025-06-18" ? envelopeOf(result) : undefined)
        }
        assert.strictEqual((yield* Effect.flip(call(to, "nope", {}))).message.includes("nope"), true)
        assert.deepStrictEqual(served.runs, ["search a", "search cut"])
      }).pipe(Effect.scoped)
    })

    it.effect(
      "4.6, 13.7 a session is a turn, in which seventeen identical calls make one attempt until 60 seconds pass without the call",
      () => {
        const served = desk()
        return Effect.gen(function* () {
          const to = yield* client(served, protocol)
          for (let i = 0; i < 17; i++) yield* call(to, "search", { q: "cut" })
          assert.deepStrictEqual(served.runs, ["search cut"])
          yield* TestClock.adjust("59 seconds")
          yield* call(to, "search", { q: "cut" })
          assert.lengthOf(served.runs, 1)
          yield* TestClock.adjust("60 seconds")
          yield* call(to, "search", { q: "cut" })
          assert.lengthOf(served.runs, 2)
          yield* TestClock.adjust("10 minutes")
          for (let i = 0; i < 2; i++) yield* call(to, "search", { q: "cut" })
          assert.lengthOf(served.runs, 3)
        }).pipe(Effect.scoped)
      }
    )

    it.effect("13.7 two clients do not share budgets", () => {
      const served = desk()
      return Effect.gen(function* () {
        yield* call(yield* client(served, protocol), "search", { q: "cut" })
        yield* call(yield* client(served, protocol), "search", { q: "cut" })
        assert.lengthOf(served.runs, 2)
      }).pipe(Effect.scoped)
    })

    it.effect("4.14, 13.7 links to a large result and serves the whole result as a resource", () => {
      const served = desk()
      return Effect.gen(function* () {
        const to = yield* client(served, protocol)
        const result = yield* call(to, "export_rows", {})
        const { preview, resource_url: uri } = envelopeOf(result)
        assert.isObject(preview)
        const links = result.content.filter(({ type }) => type === "resource_link")
        assert.deepStrictEqual(
          links.map((link: any) => link.uri),
          version >= "2025-06-18" ? [uri] : []
        )
        // the casts are needed because the client's type requires a class instance
        const read = yield* to.readResource({ uri } as never)
        const [whole] = read.contents as ReadonlyArray<any>
        assert.strictEqual(whole.mimeType, "application/json")
        assert.lengthOf(JSON.parse(whole.text).rows, 2000)
        const page = yield* call(to, "read_result", { resource_url: uri, path: "rows", offset: 1999 })
        assert.include(JSON.stringify(envelopeOf(page)), "row number 1999")
        yield* Effect.flip(to.readResource({ uri: "artifact://0123456789abcdef0123456789abcdef" } as never))
      }).pipe(Effect.scoped)
    })

    it.effect("5.6, 13.7 adds images, audio and files to the envelope, if the version supports them", () => {
      const served = desk()
      return Effect.gen(function* () {
        const { content } = yield* call(yield* client(served, protocol), "draw_chart", {})
        assert.deepStrictEqual(
          content.map(({ type }) => type),
          [
            "text",
            "image",
            version >= "2025-03-26" ? "audio" : "resource",
            "resource",
            version >= "2025-06-18" ? "resource_link" : "text",
            "text"
          ]
        )
        // the casts are needed because the type of content is a union
        assert.strictEqual((content[1] as any).mimeType, "image/png")
        assert.match((content[3] as any).resource.uri, /^artifact:/)
      }).pipe(Effect.scoped)
    })

    it.live("13.7 sends attempts and waits as progress if the client asks for it", () => {
      const served = desk()
      return Effect.gen(function* () {
        const to = yield* client(served, protocol)
        const result = yield* call(to, "search", { q: "flaky" }, { progressToken: "p1" })
        assert.strictEqual(envelopeOf(result).status, "success")
        const notifications = (yield* Queue.takeAll(to.notifications)).filter(
          (it: any) => (it.tag ?? it.method) === "notifications/progress"
        )
        const payloads = notifications.map((it: any) => it.payload ?? it.params)
        assert.deepStrictEqual(
          payloads.map(({ progress, progressToken }) => [progressToken, progress]),
          payloads.map((_, index) => ["p1", index + 1])
        )
        assert.isAtLeast(payloads.length, 5)
        if (version >= "2025-03-26") {
          assert.strictEqual(payloads[0].message, "search: started")
          assert.strictEqual(payloads[1].message, "search: attempt 1 failed (unavailable)")
        }
      }).pipe(Effect.scoped)
    })

    it.effect("13.7 sends progress every 15 seconds while a call runs", () =>
      Effect.gen(function* () {
        const to = yield* client(desk(), protocol)
        const running = yield* Effect.forkChild(call(to, "search", { q: "hang" }, { progressToken: "p1" }))
        yield* Queue.take(to.notifications)
        const payloads = Effect.map(Queue.clear(to.notifications), (notifications) =>
          notifications.map((it: any) => it.payload ?? it.params)
        )
        const advance = (seconds: number) =>
          Effect.forEach(Array.from({ length: seconds }), () => TestClock.adjust("1 second"), { discard: true })
        // there are three attempts of five seconds, and each sends progress
        yield* advance(14)
        const before = (yield* payloads).length
        yield* advance(1)
        const atFifteen = yield* payloads
        yield* advance(15)
        yield* Fiber.join(running)
        assert.isAbove(before, 0)
        assert.deepStrictEqual(
          atFifteen.map(({ progressToken }) => progressToken),
          atFifteen.map(() => "p1")
        )
        // progress has messages only since 2025-03-26; in older versions a heartbeat only increases the number
        if (version >= "2025-03-26")
          assert.lengthOf(
            atFifteen.filter(({ message }) => message === "still running"),
            1
          )
        else assert.lengthOf(atFifteen, 1)
        const numbers = atFifteen.map(({ progress }) => progress)
        assert.deepStrictEqual(
          numbers,
          numbers.toSorted((a, b) => a - b)
        )
      }).pipe(Effect.scoped)
    )

    it.effect("10.3, 13.7 uses the wrapped escalation if the client cannot ask", () => {
      const served = desk(["approve", "deny"])
      return Effect.gen(function* () {
        const to = yield* client(served, protocol)
        assert.strictEqual(envelopeOf(yield* call(to, "refund_order", { order_id: "O-1" })).status, "success")
        const denied = envelopeOf(yield* call(to, "refund_order", { order_id: "O-2" }))
        assert.strictEqual(denied.error.code, "approval_denied")
        assert.deepStrictEqual(served.runs, ["refund O-1"])
      }).pipe(Effect.scoped)
    })

    it.effect("4.15, 13.7 omits structured data that no longer satisfies its schema after redaction", () => {
      const served = desk()
      return Effect.gen(function* () {
        const result = yield* call(yield* client(served, protocol), "search", { q: "secret" })
        assert.notInclude(JSON.stringify(result), "ghp_")
        const { data } = envelopeOf(result)
        assert.isString(data.note)
        if (version >= "2025-06-18") {
          // the type of a result depends on the version
          const { structuredContent } = result as any
          assert.strictEqual(structuredContent.status, "success")
          assert.notProperty(structuredContent, "data")
        }
      }).pipe(Effect.scoped)
    })
  })
}
