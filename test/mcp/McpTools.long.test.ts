/** Guards the tools of well-behaved and hostile MCP servers in every protocol version, over processes and HTTP. */
import * as ScriptedModel from "#layers/ScriptedModel"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import * as Lock from "#src/mcp/remote/Lock"
import * as McpTools from "#src/mcp/remote/McpTools"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import type { McpError } from "#src/mcp/wire/McpError"
import { Context, Effect, Layer, Logger, Schema, type Scope } from "effect"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type { HttpClient } from "effect/http/HttpClient"
import { McpProtocol, McpServer, Tool, Toolkit } from "effect/ai"
import { FetchHttpClient, HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import { hostile } from "../support/McpClient.ts"

const [program = "", ...args] = hostile("")
/** Connects to the hostile server with a behaviour and returns its tools. */
const tools = (behaviour: string, options: McpTools.McpToolsOptions = {}) =>
  McpTools.stdio({ command: program, args: [...args.slice(0, -1), behaviour], ...options })

const live = Layer.mergeAll(Guard.layerMemory, NodeServices.layer)

/** Returns the envelope of a call. */
const ask = (box: Effect.Success<ReturnType<typeof tools>>, name: string, args: object = {}, callId = "c1") =>
  Effect.map(box.answer({ name, arguments: args, callId }), ({ text }) => JSON.parse(text))

/** Returns the error of a call to a server with a behaviour. */
const errorOf = (behaviour: string, name = "act") => {
  const limit = { timeout: behaviour === "hangs" ? "300 millis" : "5 seconds" } as const
  const policies = { "*": limit, act: { ...limit, retry: { attempts: 1 } } }
  return Effect.flatMap(tools(behaviour, { policies }), (box) => Effect.map(ask(box, name), ({ error }) => error))
}

describe("tools of an MCP server", { timeout: 30_000 }, () => {
  it.live("13.7 have the access that the server states, unless a policy sets it", () =>
    Effect.gen(function* () {
      const box = yield* tools("behaves", {
        prefix: "x_",
        deny: ["received"],
        policies: { erase: { access: "write" } }
      })
      assert.deepStrictEqual(
        [...box.tools.values()].map(({ access, toolName }) => [toolName, access]),
        [
          ["x_act", "read"],
          ["x_write", "write"],
          ["x_erase", "write"],
          ["x_typed", "read"]
        ]
      )
      assert.deepStrictEqual(yield* ask(box, "x_act", { n: 1 }), { status: "success", data: "call 1" })
      const { error } = yield* ask(box, "x_act", { n: "one" })
      assert.deepInclude(error, { error_class: "tool_arg_error", code: "invalid_arguments", fields: ["n"] })
      const missing = yield* ask(box, "x_typed")
      assert.deepInclude(missing.error, { error_class: "schema_mismatch" })
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("2.2 pass a result that violates its schema to a model if their policy advises, redacted and limited", () =>
    Effect.gen(function* () {
      const policies = { typed: { enforce: "advise" } } as const
      const strict = yield* tools("breaks-its-schema")
      assert.strictEqual((yield* ask(strict, "typed")).error.code, "invalid_result")
      const lax = yield* tools("breaks-its-schema", { policies })
      assert.deepStrictEqual(yield* ask(lax, "typed"), { status: "success", data: { count: "three" } })
      assert.strictEqual((yield* Effect.flip(lax.call("typed", {})))._tag, "SchemaMismatch")
      const hostile = yield* tools("breaks-with-everything", { policies })
      const envelope = yield* ask(hostile, "typed", { n: 1 })
      // an imitated envelope stays inside `data`
      assert.deepStrictEqual([envelope.status, envelope.data.status], ["success", "error"])
      assert.notInclude(JSON.stringify(envelope), "sk-ant-api03")
      const large = yield* ask(hostile, "typed", { n: 2 }, "c2")
      assert.strictEqual(large.status, "success")
      assert.isBelow(JSON.stringify(large).length, 11_000)
      assert.notInclude(JSON.stringify(large), "sk-ant-api03")
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live(
    "7.2 are polled until the work is done if their policy or result says so, and are a loop with `poll: false`",
    () =>
      Effect.gen(function* () {
        const poll = { interval: "1 millis", deadline: "1 minute", until: { path: "status", in: ["done"] } } as const
        const policies = { act: { poll }, typed: { poll } }
        const polled = ["running", "running", "running", "running", "done", "done"]
        const cases: ReadonlyArray<readonly [string, McpTools.McpToolsOptions, Array<string>]> = [
          ["act", { policies }, polled],
          ["typed", { policies }, polled],
          ["act", { policies: { act: { poll: false } } }, ["running", "running", "loop_detected"]],
          // without a declaration the guard waits one second, then two
          ["act", {}, ["running", "running", "running"]],
          ["typed", {}, ["running", "running", "running"]]
        ]
        for (const [name, options, ends] of cases) {
          const seen = yield* Effect.scoped(
            Effect.gen(function* () {
              const box = yield* tools("works", options)
              return yield* Effect.forEach(ends, (_, index) =>
                Effect.map(ask(box, name, {}, `c${index}`), ({ data, error }) =>
                  error === undefined ? (typeof data === "string" ? JSON.parse(data) : data).status : error.code
                )
              ).pipe(Guard.turn)
            })
          )
          assert.deepStrictEqual(seen, ends, name)
        }
      }).pipe(Effect.provide(live))
  )

  it("2.12 are not created if a policy contradicts itself, before the server starts", () => {
    const policies = { act: { access: "read", idempotency: "derived" } } as const
    assert.throws(() => tools("behaves", { policies }), /act: `idempotency` is derived, but `access` is read/)
  })

  it.live("4.6 a repeated write reaches the server each time, up to ten times, unless it is declared idempotent", () =>
    Effect.gen(function* () {
      const repeat = (box: Effect.Success<ReturnType<typeof tools>>, times: number) =>
        Guard.turn(
          Effect.forEach(Array.from({ length: times }), (_, n) =>
            Effect.map(ask(box, "write", { n: 1 }, `c${n}`), ({ data, executed, error }) => [
              data ?? error.code,
              executed
            ])
          )
        )
      assert.deepStrictEqual(yield* repeat(yield* tools("behaves"), 12), [
        ...Array.from({ length: 10 }, (_, n) => [`call ${n + 1}`, undefined]),
        ["call 1", false],
        ["loop_detected", undefined]
      ])
      for (const policy of [{ idempotency: "derived" }, { repeats: "once" }] as const) {
        assert.deepStrictEqual(yield* repeat(yield* tools("behaves", { policies: { write: policy } }), 2), [
          ["call 1", undefined],
          ["call 1", false]
        ])
      }
      assert.deepStrictEqual(yield* repeat(yield* tools("idempotent"), 2), [
        ["call 1", undefined],
        ["call 1", false]
      ])
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("13.7 run in the agent loop", () =>
    Effect.gen(function* () {
      const box = yield* tools("behaves")
      const end = yield* Agent.run({ prompt: "Act.", tools: box })
      assert.deepInclude(end, { _tag: "Answered", text: "Done." })
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Layer.mergeAll(
          live,
          ScriptedModel.layer([
            ScriptedModel.call("act", { n: "one" }),
            ScriptedModel.call("act", { n: 1 }),
            (prompt) => (JSON.stringify(prompt).includes("call 1") ? "Done." : "There was no result.")
          ])
        )
      )
    )
  )

  it.live("13.7 fail with a specific code if the server does not answer, violates the protocol or exits", () =>
    Effect.gen(function* () {
      for (const [behaviour, error_class, code] of [
        ["hangs", "transient", "timeout"],
        ["cut-answer", "schema_mismatch", "unexpected_content"],
        ["wrong-shape", "schema_mismatch", "unexpected_content"],
        ["no-object", "schema_mismatch", "unexpected_content"],
        ["huge-line", "permanent", "response_too_large"],
        ["dies", "transient", "connection_lost"],
        ["error-called-success", "transient", "unavailable"]
      ] as const)
        assert.deepInclude(yield* Effect.scoped(errorOf(behaviour)), { error_class, code }, behaviour)
      for (const behaviour of ["hangs", "dies"])
        assert.deepInclude(
          yield* Effect.scoped(errorOf(behaviour, "write")),
          { error_class: "human_review", code: "outcome_unknown", side_effect: "unknown" },
          behaviour
        )
    }).pipe(Effect.provide(live))
  )

  it.live("13.7 have a hanging call cancelled at the server", () =>
    Effect.gen(function* () {
      const box = yield* tools("hangs", { policies: { act: { timeout: "200 millis", retry: { attempts: 1 } } } })
      yield* ask(box, "act")
      const { data } = yield* ask(box, "received")
      assert.deepInclude(
        (JSON.parse(data) as ReadonlyArray<{ readonly method: string }>).map(({ method }) => method),
        "notifications/cancelled"
      )
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("13.7 are refused after the server changes them", () =>
    Effect.gen(function* () {
      const refused: Array<string> = []
      const box = yield* tools("changes", { onChange: (tool, what) => refused.push(`${tool} ${what._tag}`) })
      assert.strictEqual((yield* ask(box, "act")).status, "success")
      yield* ask(box, "write")
      const { error } = yield* ask(box, "act", { n: 2 })
      assert.deepInclude(error, { error_class: "human_review", code: "requires_human_approval" })
      assert.deepStrictEqual(refused, ["act Changed"])
      const locked = yield* tools("behaves", {
        lock: new Map([["act", { description: "Another description.", inputSchema: {} }]]),
        onChange: (tool, what) => refused.push(`${tool} ${what._tag}`)
      })
      assert.strictEqual((yield* ask(locked, "received")).error.code, "requires_human_approval")
      assert.deepStrictEqual(refused.slice(1).toSorted(), [
        "act Changed",
        "erase New",
        "received New",
        "typed New",
        "write New"
      ])
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live(
    "13.7 if a tool cannot be guarded, or its entry is broken, it is left out with a warning, and the others work",
    () =>
      Effect.gen(function* () {
        const warnings: Array<string> = []
        const logger = Logger.layer([
          Logger.make(({ logLevel, message }) => void warnings.push(`${logLevel}: ${String(message)}`))
        ])
        const policies = { "ac*": { timeout: "1 minute" }, "*ct": { deadline: "30 seconds" } } as const
        const first = yield* Effect.provide(tools("behaves", { policies }), logger)
        assert.deepStrictEqual(first.names, ["write", "erase", "typed", "received"])
        const second = yield* Effect.provide(tools("nameless"), logger)
        assert.deepStrictEqual(second.names, ["act", "write", "erase", "typed", "received"])
        const third = yield* Effect.provide(tools("deep-schema"), logger)
        assert.strictEqual((yield* ask(third, "act")).status, "success")
        assert.deepStrictEqual(
          warnings.map((text) => text.replace(/(page 1.*: ).*because/u, "$1…").slice(0, 84)),
          [
            "Warn: The tool act is left out, because it cannot be guarded: act: `deadline` is 30s",
            "Warn: The server violated the protocol. tool 1, page 1 of tools/list: … it has no `n",
            "Warn: The server violated the protocol. tool 7, page 1 of tools/list: … an earlier t"
          ]
        )
      }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("13.7 are not created if the connection fails, and the error says why", () =>
    Effect.gen(function* () {
      const attempts: ReadonlyArray<Effect.Effect<unknown, McpError, ChildProcessSpawner | HttpClient | Scope.Scope>> =
        [
          tools("never-initializes", { patience: "300 millis" }),
          tools("future-version"),
          tools("endless-list"),
          McpTools.stdio({ command: "no-such-program-anywhere" }),
          McpTools.http({ url: "http://127.0.0.1:49151/mcp" })
        ]
      const reasons = yield* Effect.forEach(attempts, (attempt) =>
        Effect.map(Effect.flip(Effect.scoped(attempt)), ({ message, reason }) => [
          reason,
          message.slice(0, 60).replace(/pages: .*/u, "pages: ")
        ])
      )
      assert.deepStrictEqual(reasons, [
        ["no_answer", "No answer to initialize within 0.3 seconds."],
        ["version", "The server supports protocol version 2199-01-01; this client"],
        ["broken_message", "page 101 of tools/list: the list has over 100 pages: "],
        ["not_started", "The command no-such-program-anywhere cannot be started."],
        ["not_started", "Cannot reach 127.0.0.1:49151 (ECONNREFUSED)."]
      ])
    }).pipe(Effect.provide(Layer.merge(live, FetchHttpClient.layer)))
  )

  const Add = Tool.make("add", {
    description: "Adds.",
    parameters: Schema.Struct({ a: Schema.Int, b: Schema.Int }),
    success: Schema.Struct({ sum: Schema.Int })
  }).annotate(Tool.Readonly, true)
  const kit = Toolkit.make(Add)
  const handlers = kit.toLayer({ add: ({ a, b }) => Effect.succeed({ sum: a + b }) })

  for (const protocol of [
    McpProtocol.v2024_11_05,
    McpProtocol.v2025_03_26,
    McpProtocol.v2025_06_18,
    McpProtocol.v2025_11_25,
    McpProtocol.v2026_07_28
  ])
    it.live(`13.7 can be called on a server that supports only ${protocol.protocolVersion}`, () =>
      Effect.gen(function* () {
        const registrations = McpServer.toolkit(kit).pipe(Layer.provide(handlers))
        const server = HttpRouter.serve(
          McpServer.layerHttp({
            name: "adder",
            version: "1",
            path: "/mcp",
            // the cast is needed because the option does not accept a union of protocols
            protocols: [protocol as never],
            registrations
          }),
          { disableListenLog: true, disableLogger: true }
        ).pipe(Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })))
        const { address } = Context.get(yield* Layer.build(server), HttpServer.HttpServer)
        const port = address._tag === "UnixPathAddress" ? 0 : address.port
        const box = yield* McpTools.http({
          url: `http://127.0.0.1:${port}/mcp`,
          // the oldest version has no annotations, so the access must be set
          policies: { add: { access: "read" } }
        })
        assert.deepStrictEqual(box.names, ["add"])
        const { data, status } = yield* ask(box, "add", { a: 2, b: 3 })
        assert.strictEqual(status, "success")
        assert.deepStrictEqual(typeof data === "string" ? JSON.parse(data) : data, { sum: 5 })
        assert.strictEqual((yield* ask(box, "add", { a: 2 })).error.code, "invalid_arguments")
      }).pipe(Effect.scoped, Effect.provide(Layer.merge(live, FetchHttpClient.layer)))
    )
})

describe("a lock of tools", () => {
  const tool = (more: object) => ({
    name: "t",
    description: "d",
    inputSchema: { type: "object" },
    outputSchema: undefined,
    annotations: {},
    raw: { name: "t", description: "d", inputSchema: { type: "object" }, ...more }
  })

  it("13.7 names the changed fields and ignores the order of fields", () => {
    const lock = Lock.of([tool({ inputSchema: { type: "object", required: ["a"] } })])
    assert.deepStrictEqual(Lock.changes(lock, tool({ inputSchema: { required: ["a"], type: "object" } })), [])
    assert.deepStrictEqual(Lock.changes(lock, tool({ description: "e", title: "T" })), [
      "title",
      "description",
      "inputSchema"
    ])
    assert.isUndefined(Lock.changes(new Map(), tool({})))
  })

  it("13.7 can be written and read again, and the reader reports what is wrong with a file", () => {
    const odd = JSON.parse('{"name":"__proto__","inputSchema":{"properties":{"__proto__":{"type":"string"}}}}')
    const lock = Lock.of([tool({ annotations: { readOnlyHint: true } }), { ...tool({}), name: "__proto__", raw: odd }])
    assert.deepStrictEqual(Lock.read(Lock.write(lock)), Lock.read(Lock.write(lock)))
    const read = Lock.read(Lock.write(lock))
    assert.deepStrictEqual(read._tag === "Success" ? [...read.success].toSorted() : [], [...lock].toSorted())
    const wrong = (text: string) => {
      const read = Lock.read(text)
      return read._tag === "Failure" ? read.failure : ""
    }
    assert.match(wrong("{"), /^Line 1, column 2 is not JSON/)
    assert.strictEqual(wrong("{}"), "It is not a lock of toolguard mcp.")
    assert.strictEqual(wrong('{"toolguard-mcp":1}'), "It has no `tools`.")
    assert.strictEqual(wrong('{"toolguard-mcp":1,"tools":{"a":1}}'), 'Its tool "a" is not an object.')
  })
})
