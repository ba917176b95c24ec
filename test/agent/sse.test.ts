/** Tests of runs over HTTP as server-sent events. Every test is `it.live`, because it uses real sockets. */
import * as Agent from "#src/agent/Agent"
import type { AgentEvent } from "#src/agent/AgentEvent"
import * as AgentSse from "#src/live/AgentSse"
import * as LiveEvent from "#src/live/LiveEvent"
import { CurrentRun } from "#services/CurrentRun"
import { CurrentTurn } from "#services/CurrentTurn"
import { Drain } from "#services/Drain"
import * as GracefulShutdown from "#layers/GracefulShutdown"
import * as ScriptedModel from "#layers/ScriptedModel"
import { assert, describe, it } from "@effect/vitest"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Deferred, Effect, Fiber, Layer, Logger, Option, Random, Result, Schema, Stream } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { createServer, request as nodeRequest } from "node:http"
import { freePort } from "../inbox/support.ts"
import { tool } from "../pipeline/support.ts"
import { call, needs, toolbox } from "./support.ts"

/** Serves routes on a free port while an effect runs. */
const serving = <A, E>(
  routes: Layer.Layer<never, never, any>,
  use: (url: string) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.flatMap(freePort, (port) => {
    const server = HttpRouter.serve(routes as Layer.Layer<never, never, HttpRouter.HttpRouter>, {
      disableListenLog: true,
      disableLogger: true
    }).pipe(
      Layer.provide(
        NodeHttpServer.layer(createServer, { host: "127.0.0.1", port, gracefulShutdownTimeout: "100 millis" })
      )
    )
    return Effect.provide(use(`http://127.0.0.1:${port}`), Layer.orDie(server))
  })

interface Frame {
  readonly id?: number
  readonly event?: string
  readonly retry?: number
  readonly comment?: string
  readonly data?: string
}

const frameOf = (text: string): Frame =>
  Object.fromEntries(
    text.split("\n").map((line) => {
      const at = line.indexOf(":")
      const [name, value] = [line.slice(0, at), line.slice(at + 1).trim()]
      return name === "" ? ["comment", value] : [name, name === "id" || name === "retry" ? Number(value) : value]
    })
  )

/** Reads messages until one matches, or until the stream ends. */
const read = (url: string, until: (frame: Frame) => boolean = () => false, headers: Record<string, string> = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, { headers })
    const frames: Array<Frame> = []
    const decoder = new TextDecoder()
    let text = ""
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      for (let at = text.indexOf("\n\n"); at >= 0; at = text.indexOf("\n\n")) {
        const frame = frameOf(text.slice(0, at))
        text = text.slice(at + 2)
        frames.push(frame)
        if (until(frame)) {
          return { status: response.status, headers: response.headers, frames }
        }
      }
    }
    return { status: response.status, headers: response.headers, frames }
  })

const tags = (frames: ReadonlyArray<Frame>) =>
  frames.flatMap(({ data, event }) => {
    if (data === undefined || event !== undefined) return []
    return [Result.getOrThrow(LiveEvent.decode(data))._tag]
  })

const send = (url: string, method: string, body?: string, type = "application/json") =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      method,
      headers: { "content-type": type },
      ...(body === undefined ? {} : { body })
    })
    return { status: response.status, body: await response.text() }
  })

/** Sends a request with this `Host`, which `fetch` does not allow. Returns the status. */
const sendAs = (host: string, url: string, method: string) =>
  Effect.callback<number | undefined>((resume) => {
    const headers = { host, "content-type": "application/json" }
    const request = nodeRequest(url, { method, headers }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode))
    })
    request.end(method === "POST" ? "{}" : undefined)
  })

const Started = Schema.fromJsonString(Schema.Struct({ id: Schema.String, events: Schema.String }))
const startRun = (url: string) =>
  Effect.map(send(`${url}/runs`, "POST", "{}"), ({ body }) => Schema.decodeUnknownSync(Started)(body))

/** A tool whose handler never returns, and effects that wait until the handler has started or was interrupted. */
const waiting = Effect.gen(function* () {
  const started = yield* Deferred.make<void>()
  const interrupted = yield* Deferred.make<void>()
  const handler = () =>
    Deferred.succeed(started, undefined).pipe(
      Effect.andThen(Effect.never),
      Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
    )
  const waitingTool = tool("search", { timeout: "1 minute", deadline: "1 minute" }, handler)
  return { waitingTool, started: Deferred.await(started), interrupted: Deferred.await(interrupted) }
})

type Tool = ReturnType<typeof tool>

/** Creates routes whose runs have one tool and a scripted model. */
const routes = (
  tool: Tool,
  script: ScriptedModel.Script,
  options: Partial<AgentSse.RoutesOptions<any, unknown, never>> = {}
) =>
  AgentSse.routes({
    begin: () => Effect.succeed({ prompt: "Go.", tools: toolbox([tool]) }),
    ...options
  }).pipe(Layer.provide(Layer.merge(needs({ tools: [tool] }), ScriptedModel.layer(script))))

/** A `Random` that another program, or an attacker, can predict. */
const constantRandom = Layer.succeed(Random.Random, { nextIntUnsafe: () => 4, nextDoubleUnsafe: () => 0.5 })

const script = [call("search", { q: "a" }), "Done."]
const expected = [
  "RoundStarted",
  "CallStarted",
  "AttemptStarted",
  "AttemptEnded",
  "CallEnded",
  "RoundEnded",
  "RoundStarted",
  "Text",
  "RoundEnded",
  "End"
]

describe("AgentSse.routes", () => {
  it.live("11.2 a run is started, and its numbered events can be read to the end more than once", () =>
    serving(routes(tool("search", {}, { n: 1 }), script), (url) =>
      Effect.gen(function* () {
        const { events, id } = yield* startRun(url)
        assert.match(id, /^[0-9a-f]{32}$/u)
        const { frames, headers } = yield* read(url + events)
        assert.strictEqual(headers.get("content-type"), "text/event-stream; charset=utf-8")
        assert.strictEqual(headers.get("cache-control"), "no-store")
        assert.strictEqual(frames[0]?.retry, 2000)
        assert.deepStrictEqual(tags(frames), expected)
        assert.deepStrictEqual(
          frames.flatMap(({ id }) => id ?? []),
          expected.map((_, index) => index + 1)
        )
        assert.deepStrictEqual(tags((yield* read(url + events)).frames), expected)
      })
    )
  )

  it.live("11.2 with a predictable Random, two runs have different ids and conversations", () => {
    const conversations: Array<string | undefined> = []
    const search = tool("search", {}, () =>
      Effect.map(CurrentTurn, (turn) => ({ n: conversations.push(turn?.conversation) }))
    )
    return serving(routes(search, [...script, ...script]), (url) =>
      Effect.gen(function* () {
        const first = yield* startRun(url)
        yield* read(url + first.events)
        const second = yield* startRun(url)
        yield* read(url + second.events)
        assert.notStrictEqual(first.id, second.id)
        assert.lengthOf(conversations, 2)
        assert.strictEqual(new Set(conversations).size, 2)
      })
    ).pipe(Effect.provide(constantRandom))
  })

  it.live("10.5 the calls of a run see the id that the URL of the run contains", () => {
    const seen: Array<string | undefined> = []
    const search = tool("search", {}, () => Effect.map(CurrentRun, (run) => ({ n: seen.push(run) })))
    return serving(routes(search, script), (url) =>
      Effect.gen(function* () {
        const { events, id } = yield* startRun(url)
        yield* read(url + events)
        assert.deepStrictEqual(seen, [id])
      })
    )
  })

  it.live("11.2 a client that reconnects with the last number receives the rest, or 204 if no events are left", () =>
    serving(routes(tool("search", {}, { n: 1 }), script), (url) =>
      Effect.gen(function* () {
        const { events } = yield* startRun(url)
        const first = yield* read(url + events, ({ id }) => id === 4)
        assert.lengthOf(tags(first.frames), 4)
        const rest = yield* read(url + events, undefined, { "last-event-id": "4" })
        assert.deepStrictEqual(tags(rest.frames), expected.slice(4))
        const nothing = yield* read(url + events, undefined, { "last-event-id": "10" })
        assert.deepStrictEqual([nothing.status, nothing.frames], [204, []])
        const beyond = yield* read(url + events, undefined, { "last-event-id": "99999" })
        assert.strictEqual(beyond.status, 204, "otherwise a browser would reconnect forever")
        for (const odd of ["-1", "x", "1e9", ""]) {
          assert.deepStrictEqual(
            tags((yield* read(url + events, undefined, { "last-event-id": odd })).frames),
            expected
          )
        }
      })
    )
  )

  it.live("11.2 a run without readers is interrupted, with its handler", () =>
    Effect.flatMap(waiting, ({ interrupted, started, waitingTool }) =>
      serving(routes(waitingTool, script, { linger: "100 millis" }), (url) =>
        Effect.gen(function* () {
          const { events } = yield* startRun(url)
          yield* read(url + events, ({ data }) => data?.includes('"AttemptStarted"') === true)
          yield* started
          const end = yield* Effect.timeoutOption(interrupted, "20 seconds")
          assert.isTrue(Option.isSome(end), "the handler was not interrupted")
        })
      )
    )
  )

  it.live("11.2 DELETE interrupts a run, and its readers receive the end", () =>
    Effect.flatMap(waiting, ({ interrupted, started, waitingTool }) =>
      serving(routes(waitingTool, script), (url) =>
        Effect.gen(function* () {
          const { events, id } = yield* startRun(url)
          const reading = yield* Effect.forkChild(read(url + events))
          yield* started
          assert.strictEqual((yield* send(`${url}/runs/${id}`, "DELETE")).status, 204)
          yield* interrupted
          const { frames } = yield* Fiber.join(reading)
          assert.include(frames.at(-1)?.data ?? "", '"Interrupted"')
        })
      )
    )
  )

  it.live("11.2 a quiet connection receives heartbeats", () =>
    Effect.flatMap(waiting, ({ waitingTool }) =>
      serving(routes(waitingTool, script, { heartbeat: "20 millis", retry: "7 seconds", linger: "1 second" }), (url) =>
        Effect.gen(function* () {
          const { events } = yield* startRun(url)
          const { frames } = yield* read(url + events, ({ comment }) => comment !== undefined)
          assert.strictEqual(frames[0]?.retry, 7000)
          assert.strictEqual(frames.at(-1)?.comment, "heartbeat")
        })
      )
    )
  )

  it.live("11.2 invalid requests are answered and do not start a run", () => {
    const searchTool = tool("search", {}, { n: 1 })
    const begin = (request: HttpServerRequest.HttpServerRequest) =>
      Effect.map(request.json, (body) =>
        (body as { readonly no?: boolean }).no === true
          ? HttpServerResponse.text("no", { status: 403 })
          : { prompt: "Go.", tools: toolbox([searchTool]) }
      )
    return serving(routes(searchTool, script, { begin, maxRuns: 1, mayRead: () => Effect.succeed(false) }), (url) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* send(`${url}/runs`, "POST", "{}", "text/plain")).status, 415)
        assert.strictEqual((yield* send(`${url}/runs`, "POST", '{"no":true}')).status, 403)
        const broken = yield* send(`${url}/runs`, "POST", "{broken")
        assert.deepStrictEqual(broken, {
          status: 400,
          body: '{"error":"The body cannot be decoded."}'
        })
        const large = yield* send(`${url}/runs`, "POST", JSON.stringify({ text: "x".repeat(1_100_000) }))
        assert.deepStrictEqual(large, { status: 413, body: '{"error":"The body is too large."}' })
        assert.strictEqual((yield* read(`${url}/runs/${"0".repeat(32)}/events`)).status, 404)
        assert.strictEqual((yield* read(`${url}/runs/x/events`, undefined, { "last-event-id": "3" })).status, 204)
        const { status, body } = yield* send(`${url}/runs`, "POST", "{}")
        assert.strictEqual(status, 201)
        const { events } = Schema.decodeUnknownSync(Started)(body)
        assert.strictEqual((yield* read(url + events)).status, 404, "the response does not reveal that the run exists")
        assert.strictEqual(searchTool.runs() <= 1, true)
      })
    )
  })

  it.live(
    "8.3 the limit of runs per owner leaves room for other owners, and a run that ends makes room for another",
    () =>
      Effect.flatMap(waiting, ({ waitingTool }) => {
        const ownerOf = ({ headers }: { readonly headers: { readonly [name: string]: string | undefined } }) =>
          Effect.succeed(headers["x-owner"] ?? "")
        const as = (url: string, owner: string) =>
          Effect.promise(async () => {
            const headers = { "content-type": "application/json", "x-owner": owner }
            const response = await fetch(`${url}/runs`, { method: "POST", headers, body: "{}" })
            return { status: response.status, body: await response.text() }
          })
        return serving(
          routes(
            waitingTool,
            Array.from({ length: 10 }, () => call("search", { q: "a" })),
            { ownerOf, maxRuns: 4, maxRunsPerOwner: 2 }
          ),
          (url) =>
            Effect.gen(function* () {
              const first = Schema.decodeUnknownSync(Started)((yield* as(url, "a")).body)
              assert.strictEqual((yield* as(url, "a")).status, 201)
              assert.deepStrictEqual(yield* as(url, "a"), {
                status: 503,
                body: '{"error":"The maximum of 2 concurrent runs of one owner is reached."}'
              })
              assert.strictEqual((yield* as(url, "b")).status, 201)
              yield* send(`${url}/runs/${first.id}`, "DELETE")
              yield* Effect.repeat(as(url, "a"), { until: ({ status }) => status === 201 })
              assert.strictEqual((yield* as(url, "b")).status, 201)
              assert.include((yield* as(url, "c")).body, "The maximum of 4 concurrent runs")
            })
        )
      })
  )

  it.live("11.2 begin can return a function that starts a run and stops it on request", () =>
    Effect.flatMap(waiting, ({ interrupted, started, waitingTool }) => {
      const begin = () =>
        Effect.succeed((stop: Effect.Effect<void>) =>
          Agent.streamOf((onEvent) =>
            Agent.run({ prompt: "Go.", tools: toolbox([waitingTool]), onEvent, interruptWhen: stop })
          )
        )
      return serving(routes(waitingTool, script, { begin }), (url) =>
        Effect.gen(function* () {
          const { id } = yield* startRun(url)
          yield* started
          assert.strictEqual((yield* send(`${url}/runs/${id}`, "DELETE")).status, 204)
          yield* interrupted
        })
      )
    })
  )

  it.live("11.2 a run beyond the maximum of concurrent runs is refused", () =>
    Effect.flatMap(waiting, ({ waitingTool }) =>
      serving(
        routes(waitingTool, () => call("search", { q: "a" }), { maxRuns: 1 }),
        (url) =>
          Effect.gen(function* () {
            yield* startRun(url)
            const { body, status } = yield* send(`${url}/runs`, "POST", "{}")
            assert.deepStrictEqual([status, body], [503, '{"error":"The maximum of 1 concurrent runs is reached."}'])
          })
      )
    )
  )
})

describe("AgentSse.routes: shutdown", () => {
  it.live(
    "12.7 a POST gets 503 with Retry-After while its process shuts down, and the reader of a run gets its end",
    () => {
      const gate = Deferred.makeUnsafe<void>()
      const slowTool = tool("search", {}, () => Effect.as(Deferred.await(gate), { n: 1 }))
      return Effect.gen(function* () {
        const drain = yield* GracefulShutdown.make()
        let begun = 0
        const begin = () =>
          Effect.sync(() => {
            begun += 1
            return { prompt: "Go.", tools: toolbox([slowTool]) }
          })
        const draining = Layer.provide(
          routes(slowTool, [call("search", { q: "a" }), "Done."], { begin }),
          Layer.succeed(Drain, drain)
        )
        yield* serving(draining, (url) =>
          Effect.gen(function* () {
            const { events } = yield* startRun(url)
            yield* read(url + events, ({ data }) => data?.includes("CallStarted") === true)
            const reading = yield* Effect.forkChild(read(url + events))
            const stopping = yield* Effect.forkChild(drain.drain, { startImmediately: true })
            const refused = yield* Effect.promise(() =>
              fetch(`${url}/runs`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" })
            )
            assert.deepStrictEqual([refused.status, refused.headers.get("retry-after"), begun], [503, "1", 1])
            yield* Deferred.succeed(gate, undefined)
            const { frames } = yield* Fiber.join(reading)
            yield* Fiber.join(stopping)
            const last = frames.findLast(({ data }) => data !== undefined)
            assert.include(last?.data ?? "", '"Interrupted"')
          })
        )
      }).pipe(Effect.provide(Logger.layer([])))
    }
  )
})

describe("AgentSse.routes: who may connect", () => {
  it.live("11.2 more readers than the maximum get 503, and a reader that leaves makes room", () =>
    Effect.flatMap(waiting, ({ started, waitingTool }) =>
      serving(routes(waitingTool, script, { maxReaders: 2, heartbeat: "20 millis" }), (url) =>
        Effect.gen(function* () {
          const { events, id } = yield* startRun(url)
          const connect = Effect.promise(async () => {
            const aborting = new AbortController()
            const { body, status } = await fetch(url + events, { signal: aborting.signal })
            await body?.getReader().read()
            return { status, leave: () => aborting.abort() }
          })
          const [first, second, third] = [yield* connect, yield* connect, yield* connect]
          yield* started
          assert.deepStrictEqual([first.status, second.status, third.status], [200, 200, 503])
          first.leave()
          const fourth = yield* Effect.repeat(connect, { until: ({ status }) => status === 200, times: 500 })
          assert.strictEqual(fourth.status, 200)
          assert.strictEqual((yield* send(`${url}/runs/${id}`, "DELETE")).status, 204)
        })
      )
    )
  )

  it.live(
    "11.2 a request from this machine with the host name of another machine gets 403, unless this name is configured",
    () => {
      const search = tool("search", {}, { n: 1 })
      const statuses = (options: object) =>
        serving(
          routes(search, () => "Done.", options),
          (url) =>
            Effect.forEach(["evil.example", "LOCALHOST:80", "api.example.com"], (host) =>
              Effect.all([
                sendAs(host, `${url}/runs`, "POST"),
                sendAs(host, `${url}/runs/x/events`, "GET"),
                sendAs(host, `${url}/runs/x`, "DELETE")
              ])
            )
        )
      return Effect.gen(function* () {
        const refused = [403, 403, 403] as [number, number, number]
        const accepted = [201, 404, 404] as [number, number, number]
        assert.deepStrictEqual(yield* statuses({}), [refused, accepted, refused])
        assert.deepStrictEqual(yield* statuses({ hosts: ["api.example.com"] }), [refused, refused, accepted])
      })
    }
  )
})

describe("AgentSse.response", () => {
  const route = (tool: Tool, script: ScriptedModel.Script, count: () => void = () => {}) =>
    HttpRouter.addAll([
      HttpRouter.route("GET", "/ask", (request) => {
        count()
        const events = Agent.stream({ prompt: "Go.", tools: toolbox([tool]) })
        return AgentSse.response(request, events)
      })
    ]).pipe(
      HttpRouter.provideRequest(Layer.merge(needs({ tools: [tool] }), ScriptedModel.layer(script)))
    ) as Layer.Layer<never>

  it.live("11.2 one request starts one run", () =>
    serving(route(tool("search", {}, { n: 1 }), script), (url) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(tags((yield* read(`${url}/ask`)).frames), expected)
      })
    )
  )

  it.live("11.2 disconnecting interrupts the run, and reconnecting does not start another", () =>
    Effect.flatMap(waiting, ({ interrupted, started, waitingTool }) =>
      serving(route(waitingTool, script), (url) =>
        Effect.gen(function* () {
          yield* read(`${url}/ask`, ({ data }) => data?.includes('"AttemptStarted"') === true)
          yield* started
          yield* interrupted
          assert.strictEqual((yield* read(`${url}/ask`, undefined, { "last-event-id": "3" })).status, 204)
          assert.strictEqual(waitingTool.runs(), 1)
        })
      )
    )
  )

  it.live(
    "11.2 if a reader stops reading, the run waits once its buffers are full",
    () => {
      /** Events of 10 KB. Without a limit, 5,000 of them are emitted immediately. */
      const maxEvents = 5_000
      let emitted = 0
      const next = Effect.andThen(
        Effect.yieldNow,
        Effect.sync((): AgentEvent => ({ _tag: "Text", round: (emitted += 1), delta: "x".repeat(10_000) }))
      )
      const endless = HttpRouter.addAll([
        HttpRouter.route("GET", "/ask", (request) =>
          AgentSse.response(request, Stream.fromEffectRepeat(next), { patience: "1 hour" })
        )
      ])
      return serving(endless, (url) =>
        Effect.gen(function* () {
          const stalled = yield* Effect.acquireRelease(
            Effect.sync(() => {
              const request = nodeRequest(`${url}/ask`, (response) => response.pause())
              request.on("error", () => {})
              request.end()
              return request
            }),
            (request) => Effect.sync(() => request.destroy())
          )
          // waits until no more events are emitted, because the buffers of the run, the sockets and the system are full
          let quiet = 0
          for (let before = -1; quiet < 5 && emitted < maxEvents; before = emitted) {
            yield* Effect.sleep("200 millis")
            quiet = emitted === before && before > 0 ? quiet + 1 : 0
          }
          assert.isAbove(emitted, 256)
          assert.isBelow(emitted, maxEvents)
          stalled.destroy()
        }).pipe(Effect.scoped)
      )
    },
    60_000
  )
})
