import * as Verdict from "#domain/tool/Verdict"
import * as AuthorizerMemory from "#layers/AuthorizerMemory"
import * as CallLogMemory from "#layers/CallLogMemory"
import { CallLog } from "#services/CallLog"
import { deny } from "#services/Authorizer"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Metric, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpMetrics, OtlpSerialization, PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync } from "node:zlib"
import { ask, asked, complete, response, settled, start, tool, within } from "./support.ts"

/** Runs an effect with a separate metric registry, and returns what Prometheus would read, without comments. */
const counted = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.andThen(effect, PrometheusMetrics.format()).pipe(
    Effect.map((text) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))),
    Effect.provideService(Metric.MetricRegistry, new Map())
  )

/** Returns the lines of one metric. */
const only = (lines: ReadonlyArray<string>, kind: string) =>
  lines.filter((line) => line.startsWith(`effect_toolguard_${kind}{`))

const label = (name: string, more = "") => `{gen_ai_tool_name="${name}"${more}}`

describe("metrics", () => {
  it.effect("15.1 calls, retries and latency are counted for each tool", () => {
    const search = tool("search", { retry: { jitter: "none" } }, response(503), { n: 1 })
    const other = tool("other", {}, { n: 1 })
    return Effect.gen(function* () {
      const lines = yield* counted(
        Effect.gen(function* () {
          yield* complete(settled(search.tool.call({ q: "a" })))
          yield* settled(search.tool.call({ q: "b" }))
          yield* settled(other.tool.call({ q: "a" }))
        })
      )
      assert.deepStrictEqual(only(lines, "calls"), [
        `effect_toolguard_calls${label("search")} 2`,
        `effect_toolguard_calls${label("other")} 1`
      ])
      assert.deepStrictEqual(only(lines, "retries"), [`effect_toolguard_retries${label("search")} 1`])
      assert.deepStrictEqual(only(lines, "failures"), [])
      assert.deepStrictEqual(
        [...only(lines, "call_duration_sum"), ...only(lines, "call_duration_count")],
        [
          `effect_toolguard_call_duration_sum${label("search")} 1000`,
          `effect_toolguard_call_duration_sum${label("other")} 0`,
          `effect_toolguard_call_duration_count${label("search")} 2`,
          `effect_toolguard_call_duration_count${label("other")} 1`
        ]
      )
    }).pipe(within([search.layer, other.layer]))
  })

  it.effect("15.1 pages are counted separately; an incomplete result without a next page counts as a failure", () => {
    const paged = tool("paged", { checks: { judge: () => Verdict.partial({ next: { q: "b" } }) } }, { n: 1 })
    const cut = tool("cut", { checks: { judge: () => Verdict.partial({ narrow: "Ask for less." }) } }, { n: 1 })
    return Effect.gen(function* () {
      const lines = yield* counted(
        Effect.andThen(settled(paged.tool.call({ q: "a" })), settled(cut.tool.call({ q: "a" })))
      )
      assert.deepStrictEqual(only(lines, "pages"), [`effect_toolguard_pages${label("paged")} 1`])
      assert.deepStrictEqual(only(lines, "failures"), [
        `effect_toolguard_failures${label("cut", `,error_type="PartialData"`)} 1`
      ])
    }).pipe(within([paged.layer, cut.layer]))
  })

  it.effect("15.1 failures are counted by class, refusals by code, and interruptions as failures", () => {
    const search = tool("search", { retry: { attempts: 1 } }, response(503), Effect.never)
    const secret = tool("secret", {}, { n: 1 })
    const guard = Guard.layerMemoryWith(
      AuthorizerMemory.layerWith({ authorize: ({ tool }) => (tool === "secret" ? deny("no") : { _tag: "Allow" }) })
    )
    return Effect.gen(function* () {
      const lines = yield* counted(
        Effect.gen(function* () {
          yield* settled(search.tool.call({ q: "a" }))
          yield* Fiber.interrupt(yield* start(search.tool.call({ q: "b" })))
          yield* settled(search.tool.call({ q: 1 }))
          yield* settled(secret.tool.call({ q: "a" }))
        })
      )
      assert.deepStrictEqual(only(lines, "failures"), [
        `effect_toolguard_failures${label("search", `,error_type="Transient"`)} 2`,
        `effect_toolguard_failures${label("search", `,error_type="ToolArgError"`)} 1`,
        `effect_toolguard_failures${label("secret", `,error_type="Permanent"`)} 1`
      ])
      assert.deepStrictEqual(only(lines, "refusals"), [
        `effect_toolguard_refusals${label("search", `,effect_toolguard_code="invalid_arguments"`)} 1`,
        `effect_toolguard_refusals${label("secret", `,effect_toolguard_code="unauthorized"`)} 1`
      ])
    }).pipe(within([search.layer, secret.layer], guard))
  })

  it.effect("15.1 invented tool names share one series", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      const lines = yield* counted(
        Effect.forEach(["serch", "rm -rf", 'x"}\n1'], (name) => ask([search.tool], name, {}))
      )
      assert.deepStrictEqual(only(lines, "calls"), [`effect_toolguard_calls${label("unknown_tool")} 3`])
      assert.deepStrictEqual(only(lines, "refusals"), [
        `effect_toolguard_refusals${label("unknown_tool", `,effect_toolguard_code="unknown_tool"`)} 3`
      ])
    }).pipe(within([search.layer]))
  })

  it.effect("15.1 sixteen of seventeen identical failing calls are saved", () => {
    const search = tool("search", {}, '{"n":')
    return Effect.gen(function* () {
      const lines = yield* counted(
        Effect.forEach(Array.from({ length: 17 }), () => ask([search.tool], "search", { q: "a" }))
      )
      const saved = only(lines, "saved_calls")
      assert.strictEqual(search.runs(), 1)
      assert.strictEqual(
        saved.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0),
        16
      )
    }).pipe(within([search.layer]))
  })

  it.effect("15.1 saved calls are counted by reason", () => {
    const broken = tool("broken", {}, '{"n":')
    const place = tool("place", { access: "write", idempotency: "derived" }, { n: 1 })
    const slow = tool(
      "slow",
      { access: "write", idempotency: "derived" },
      Effect.delay(Effect.succeed({ n: 1 }), "1 second")
    )
    const tight = tool("tight", { budget: 1, retry: { attempts: 1 } }, response(503, "", { "retry-after": "60" }))
    const same = tool("same", { budget: 1, retry: { attempts: 1 } }, { n: 1 })
    const loops = tool("loops", {}, { n: 1 })
    const all = [broken, place, slow, tight, same, loops]
    return Effect.gen(function* () {
      const lines = yield* counted(
        Effect.gen(function* () {
          for (const { tool } of [broken, place, tight, same]) {
            for (let n = 0; n < 2; n++) yield* asked(tool, { q: "a" })
          }
          for (let n = 0; n < 3; n++) yield* asked(loops.tool, { q: "a" })
          const fibers = yield* Effect.forEach(["a", "a"], (q) => start(asked(slow.tool, { q })))
          yield* TestClock.adjust("1 second")
          for (const fiber of fibers) yield* Fiber.join(fiber)
        })
      )
      const reason = (name: string, why: string) =>
        `effect_toolguard_saved_calls${label(name, `,effect_toolguard_reason="${why}"`)} 1`
      assert.deepStrictEqual(only(lines, "saved_calls"), [
        reason("broken", "recall"),
        reason("place", "recall"),
        reason("tight", "budget"),
        reason("same", "unchanged"),
        reason("loops", "loop"),
        reason("slow", "replay")
      ])
    }).pipe(
      within(
        all.map(({ layer }) => layer),
        Guard.layerMemory
      )
    )
  })

  it.effect("15.1 only results that are shown as a preview save tokens", () => {
    const success = Schema.Struct({ rows: Schema.Array(Schema.String) })
    const rows = Array.from({ length: 4_000 }, () => "x".repeat(7))
    const search = tool("search", { success }, { rows }, { rows: ["a"] })
    return Effect.gen(function* () {
      const lines = yield* counted(
        Effect.gen(function* () {
          const { text } = yield* ask([search.tool], "search", { q: "a" })
          assert.isBelow(text.length, 11_000)
          yield* ask([search.tool], "search", { q: "b" })
          yield* settled(search.tool.call({ q: "c" }))
        })
      )
      const [line] = only(lines, "saved_tokens")
      // 40,011 bytes of JSON minus an envelope of at most 10.5 KB, divided by four
      assert.match(line ?? "", /^effect_toolguard_saved_tokens\{gen_ai_tool_name="search"\} 7[34]\d\d$/)
      assert.lengthOf(only(lines, "saved_tokens"), 1)
    }).pipe(within([search.layer]))
  })

  it.effect("15.1 the host's attributes are kept, and a registry that throws does not fail the call", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      const lines = yield* counted(
        Effect.provideService(search.tool.call({ q: "a" }), Metric.CurrentMetricAttributes, { region: "eu" })
      )
      assert.deepStrictEqual(only(lines, "calls"), [`effect_toolguard_calls{gen_ai_tool_name="search",region="eu"} 1`])
      const broken = {
        get: () => {
          throw new Error("boom")
        }
      } as never // the registry throws at the first use
      assert.deepStrictEqual(
        yield* Effect.provideService(settled(search.tool.call({ q: "b" })), Metric.MetricRegistry, broken),
        { n: 1 }
      )
      assert.lengthOf(yield* (yield* CallLog).records, 2)
    }).pipe(within([search.layer], Guard.layerMemoryWith(CallLogMemory.layer)))
  })

  it.live("15.1 Effect's OTLP exporter sends the metrics, and latency with its unit", () => {
    const bodies: Array<any> = []
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      const url = yield* collector(bodies)
      const otlp = OtlpMetrics.layer({ url, exportInterval: "1 hour", resource: { serviceName: "shop" } }).pipe(
        Layer.provide([FetchHttpClient.layer, OtlpSerialization.layerJson])
      )
      // the exporter sends all metrics when its layer closes
      yield* settled(search.tool.call({ q: "a" })).pipe(
        Effect.provide(otlp),
        Effect.provideService(Metric.MetricRegistry, new Map())
      )
      const sent = bodies.flatMap((body) => body.resourceMetrics[0].scopeMetrics[0].metrics)
      const calls = sent.find(({ name }: any) => name === "effect_toolguard.calls")
      const latency = sent.find(({ name }: any) => name === "effect_toolguard.call.duration")
      const [point] = calls.sum.dataPoints
      assert.deepInclude(point.attributes, { key: "gen_ai.tool.name", value: { stringValue: "search" } })
      assert.deepStrictEqual([Number(point.asInt ?? point.asDouble), calls.sum.isMonotonic], [1, true])
      assert.strictEqual(latency.unit, "ms")
    }).pipe(Effect.scoped, within([search.layer]))
  })
})

/** Starts a server that stores the JSON bodies of an OTLP exporter, and returns its URL. */
const collector = (bodies: Array<unknown>) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const body = Buffer.concat(chunks)
          const text = request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body
          bodies.push(JSON.parse(text.toString()))
          response.writeHead(200, { "content-type": "application/json" }).end("{}")
        })
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  ).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/metrics`))
