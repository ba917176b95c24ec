/**
 * The backend under attack, in a process of its own: calls real guarded tools on hostile upstreams, and tells what came.
 *
 * `node --expose-gc --max-old-space-size=256 program.ts CLIENT PORT TOOL NAME…` prints one `Told` a behaviour, as JSON
 * lines, and a `Finished` at the end. TOOL `all` stands for every tool. Memory is what the operating system counts (`VmHWM`), so that a peak between two looks
 * is seen too.
 */
import * as Failure from "#domain/Failure"
import { Guard } from "#src/Guard"
import * as GuardedTool from "#src/GuardedTool"
import * as Toolbox from "#src/Toolbox"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Duration, Effect, Exit, Layer, ManagedRuntime, Schema } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { createServer } from "node:net"
import { readFileSync, writeFileSync } from "node:fs"

/** How one call ended: for the program that made it, and for the model. */
export interface Ending {
  /** `ok`, or class, code and side effect. */
  readonly typed: string
  readonly model: string
  readonly text: string
  readonly attempts: number
  readonly millis: number
  /** What the envelope holds as its error, or its data's beginning. */
  readonly detail: string
  /** How the next call of the same tool, of a healthy upstream, ended. */
  readonly after: string
  /** MiB above idle at the highest point of the program's call, and of the model's. */
  readonly peaks: readonly [number, number]
}

export interface Told {
  readonly name: string
  readonly calls: Readonly<Record<string, Ending>>
}

export interface Finished {
  readonly finished: true
  readonly idle: number
  readonly rejections: ReadonlyArray<string>
  /** What reached the global prototypes. */
  readonly polluted: ReadonlyArray<string>
}

const parameters = Schema.Struct({ name: Schema.String })
const retry = { attempts: 2, base: "10 millis" } as const
const reads = { description: "Reads one thing. Read-only.", access: "read", parameters, retry } as const

class GetOrder extends GuardedTool.Service<GetOrder>()("get_order", {
  ...reads,
  success: Schema.Struct({ n: Schema.Int, note: Schema.Json })
}) {}
class GetAnything extends GuardedTool.Service<GetAnything>()("get_anything", { ...reads, success: Schema.Json }) {}
class GetText extends GuardedTool.Service<GetText>()("get_text", { ...reads, success: Schema.String }) {}
class ListOrders extends GuardedTool.Service<ListOrders>()("list_orders", {
  ...reads,
  success: Schema.Struct({ n: Schema.Int, note: Schema.Array(Schema.Struct({ id: Schema.Int })) }),
  salvage: { path: "note", rest: () => ({ n: 0 }), narrow: "Ask for fewer rows." }
}) {}
class RefundOrder extends GuardedTool.Service<RefundOrder>()("refund_order", {
  description: "Refunds an order. Writes.",
  access: "write",
  parameters,
  success: Schema.Struct({ n: Schema.Int, note: Schema.Json })
}) {}
class PlaceOrder extends GuardedTool.Service<PlaceOrder>()("place_order", {
  description: "Places an order. Writes.",
  access: "write",
  parameters,
  success: Schema.Struct({ n: Schema.Int, note: Schema.Json }),
  idempotency: { mode: "derived", upstreamHonoursKey: true },
  retry
}) {}

const [, , kind = "fetch", port = "0", only = "all", ...names] = process.argv

/** A port on which nobody listens. */
const freePort = await new Promise<number>((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 1))
  })
})

const urlOf = (name: string): string =>
  name === "refused"
    ? `http://127.0.0.1:${freePort}/`
    : name === "unknown_host"
      ? "http://no-such-host.invalid/"
      : name === "bad_port"
        ? "http://127.0.0.1:99999/"
        : `http://127.0.0.1:${port}/do/${name}`

const clients: Readonly<Record<string, Layer.Layer<HttpClient.HttpClient>>> = {
  fetch: FetchHttpClient.layer,
  undici: NodeHttpClient.layerUndici,
  http: NodeHttpClient.layerNodeHttp
}

const get = Effect.map(
  HttpClient.HttpClient,
  (http) =>
    ({ name }: { readonly name: string }) =>
      http.get(urlOf(name))
)
const post = Effect.map(
  HttpClient.HttpClient,
  (http) =>
    ({ name }: { readonly name: string }) =>
      http.post(urlOf(name))
)

const layer = Layer.mergeAll(
  GetOrder.layer(get),
  GetAnything.layer(get),
  GetText.layer(get),
  ListOrders.layer(get),
  RefundOrder.layer(post),
  PlaceOrder.layer(post)
).pipe(Layer.provide(clients[kind] ?? FetchHttpClient.layer))

/** What hangs is given 300 ms, so that the tests are quick; all else the default of 5 s. */
const timeOf = (name: string) =>
  /^(hang|drip|switching)/.test(name) ? ({ timeout: "300 millis", deadline: "1 second" } as const) : {}

const rejections: Array<string> = []
process.on("unhandledRejection", (reason) => rejections.push(String(reason)))
process.on("uncaughtException", (error) => rejections.push(String(error.stack)))

const statusOf = (field: string): number => {
  const found = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync("/proc/self/status", "utf8"))
  return Number(found?.[1] ?? 0) / 1024
}
const resetPeak = (): void => {
  try {
    writeFileSync("/proc/self/clear_refs", "5")
  } catch {
    // Not allowed everywhere: the peak is then the highest since the start.
  }
}

const brief = (failure: Failure.Failure): string => `${failure._tag} ${failure.code} ${failure.sideEffect}`

const tags = new Map(
  [
    "ToolArgError",
    "SchemaMismatch",
    "PartialData",
    "SemanticGarbage",
    "Transient",
    "Resource",
    "Permanent",
    "HumanReview"
  ].map((tag) => [tag.replace(/(?<=.)[A-Z]/gu, "_$&").toLowerCase(), tag])
)

const briefOfText = (text: string, access: string): string => {
  const envelope = JSON.parse(text)
  if (envelope.status === "success") return "ok"
  const { code, error_class, side_effect } = envelope.error
  const isLeftOut = access === "read" || error_class === "tool_arg_error"
  return `${tags.get(error_class)} ${code} ${side_effect ?? (isLeftOut ? "none" : "missing")}`
}

type Requirements = Guard | GetOrder | GetAnything | GetText | ListOrders | RefundOrder | PlaceOrder
const overridden = (name: string) => ({
  get_order: GuardedTool.policy(timeOf(name))(GetOrder),
  get_anything: GuardedTool.policy(timeOf(name))(GetAnything),
  get_text: GuardedTool.policy(timeOf(name))(GetText),
  list_orders: GuardedTool.policy(timeOf(name))(ListOrders),
  refund_order: GuardedTool.policy(timeOf(name))(RefundOrder),
  place_order: GuardedTool.policy(timeOf(name))(PlaceOrder)
})

/** Runs an effect from a collected heap, and says how high the process' memory rose above idle. */
const weighed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<readonly [A, number], E, R> =>
  Effect.promise(collect).pipe(
    Effect.andThen(Effect.sync(resetPeak)),
    Effect.andThen(effect),
    Effect.map((value) => [value, Math.round(statusOf("VmHWM") - idle)] as const)
  )

let idle = 0
const endingOf = (tool: GuardedTool.AnyTool, name: string): Effect.Effect<Ending, never, Requirements> =>
  Effect.gen(function* () {
    const called = Effect.exit(tool.call({ name }) as Effect.Effect<unknown, Failure.Failure, Requirements>)
    const [[millis, exit], typedPeak] = yield* weighed(Effect.timed(called))
    const typed = Exit.match(exit, {
      onSuccess: () => "ok",
      onFailure: (cause) => {
        const reason = cause.reasons[0]
        return reason?._tag === "Fail" && Failure.isFailure(reason.error)
          ? brief(reason.error)
          : `untyped ${String(cause)}`
      }
    })
    const box = (
      Toolbox.make as (...tools: ReadonlyArray<GuardedTool.AnyTool>) => Toolbox.Toolbox<GuardedTool.AnyTool>
    )(tool)
    const [answer, modelPeak] = yield* weighed(
      Guard.turn(
        box.answer({ name: tool.toolName, arguments: JSON.stringify({ name }), callId: "call" })
      ) as Effect.Effect<{ readonly text: string; readonly attempts: number }, never, Requirements>
    )
    const after = yield* Effect.match(
      tool.call({ name: "fine" }) as Effect.Effect<unknown, Failure.Failure, Requirements>,
      {
        onSuccess: () => "ok",
        onFailure: (failure) =>
          tool.toolName === "list_orders" && failure.code === "invalid_result" ? "ok" : brief(failure)
      }
    )
    const envelope = JSON.parse(answer.text)
    return {
      typed,
      model: briefOfText(answer.text, tool.access),
      text: answer.text,
      attempts: answer.attempts,
      millis: Math.round(Duration.toMillis(millis)),
      peaks: [typedPeak, modelPeak],
      detail: envelope.status === "success" ? answer.text.slice(0, 120) : JSON.stringify(envelope.error),
      after
    }
  })

const runtime = ManagedRuntime.make(Layer.mergeAll(layer))
const collect = async (): Promise<void> => {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    globalThis.gc?.()
  }
}
const measured = async (name: string): Promise<Readonly<Record<string, Ending>>> => {
  const calls: Record<string, Ending> = {}
  for (const [tool, own] of Object.entries(overridden(name))) {
    if (only !== "all" && only !== tool) continue
    calls[tool] = await runtime.runPromise(
      endingOf(own as GuardedTool.AnyTool, name).pipe(Effect.provide(Guard.layerMemory))
    )
  }
  return calls
}

await measured("fine")
await collect()
idle = statusOf("VmRSS")
for (const name of names) {
  const told: Told = { name, calls: await measured(name) }
  process.stdout.write(`${JSON.stringify(told)}\n`)
}
const polluted = ["isAdmin", "prototype"].filter((key) => key in {})
const finished: Finished = { finished: true, idle: Math.round(idle), rejections, polluted }
process.stdout.write(`${JSON.stringify(finished)}\n`)
await runtime.dispose()
process.exit(0)
