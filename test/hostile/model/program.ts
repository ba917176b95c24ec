/**
 * Plays hostile models through the agent loop in a separate process, and reports how each run ended.
 *
 * `node --expose-gc --max-old-space-size=256 program.ts VIA NAME…` prints one `ScenarioReport` per scenario as JSON
 * lines. VIA is `layer` (ScriptedModel), `wire` or `stream` (OpenAiCompatible and a well-behaved server in this process),
 * or `responses` or `responses-stream` (OpenAiResponses and its server).
 */
import { Effect, Layer, References, Schema } from "effect"
import type { LanguageModel } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import { readFileSync, writeFileSync } from "node:fs"
import * as Transcript from "#domain/transcript/Transcript"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as OpenAiCompatible from "#layers/OpenAiCompatible"
import * as OpenAiResponses from "#layers/OpenAiResponses"
import * as ScriptedModel from "#layers/ScriptedModel"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import * as OpenAiServer from "../../support/OpenAiServer.ts"
import * as ResponsesServer from "../../support/ResponsesServer.ts"
import { roundsOf, type RawResponse, type Scenario, scenarios } from "./scenarios.ts"

/** How a run ended. */
export interface ScenarioReport {
  readonly name: string
  readonly end: string
  readonly rounds: number
  readonly calls: number
  /** Executions by tool. */
  readonly runs: Readonly<Record<string, number>>
  /** The highest number of handlers that ran concurrently. */
  readonly maxConcurrent: number
  /** The rules that the transcript breaks. */
  readonly violations: ReadonlyArray<string>
  /** Calls in the transcript. */
  readonly made: number
  /** Calls in the transcript that have exactly one result. */
  readonly answered: number
  /** The number of envelopes that the model read, by class and code, or `success`. */
  readonly read: Readonly<Record<string, number>>
  /** Characters of the longest error, without `next` and `approval_url`. */
  readonly longestError: number
  readonly forged: boolean
  readonly leaked: boolean
  readonly refusedRequests: number
  readonly peak: number
}

export interface FinishedReport {
  readonly finished: true
  readonly rejections: ReadonlyArray<string>
  readonly polluted: ReadonlyArray<string>
}

const secret = "hunter2-Zq81xTt"
const q = { parameters: Schema.Struct({ q: Schema.String }), success: Schema.Struct({ n: Schema.Int }) }

class GetOrder extends GuardedTool.Service<GetOrder>()("get_order", {
  description: "Reads an order. Read-only.",
  access: "read",
  ...q,
  retry: { attempts: 1 }
}) {}
class ListOrders extends GuardedTool.Service<ListOrders>()("list_orders", {
  description: "Lists orders. Read-only.",
  access: "read",
  parameters: Schema.Struct({
    ids: Schema.Array(Schema.Struct({ id: Schema.Int, shop: Schema.String, status: Schema.Literals(["a", "b"]) }))
  }),
  success: q.success
}) {}
class SetNote extends GuardedTool.Service<SetNote>()("set_note", {
  description: "Writes a note.",
  access: "write",
  ...q
}) {}
class PlaceOrder extends GuardedTool.Service<PlaceOrder>()("place_order", {
  description: "Places an order. Writes.",
  access: "write",
  ...q,
  idempotency: "derived"
}) {}
class NamePrice extends GuardedTool.Service<NamePrice>()("name_price", {
  description: "Names a price. Writes.",
  access: "write",
  ...q,
  idempotency: "key"
}) {}
class RefundOrder extends GuardedTool.Service<RefundOrder>()("refund_order", {
  description: "Refunds an order. Writes.",
  access: "destructive",
  ...q
}) {}

const tools = Toolbox.make(GetOrder, ListOrders, SetNote, PlaceOrder, NamePrice, RefundOrder)

const [, , via = "layer", ...names] = process.argv

const rejections: Array<string> = []
process.on("unhandledRejection", (reason) => rejections.push(String(reason)))
process.on("uncaughtException", (error) => rejections.push(String(error.stack)))

const memoryOf = (field: "VmHWM" | "VmRSS"): number => {
  try {
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024
  } catch {
    return process.resourceUsage().maxRSS / 1024
  }
}
/** Collects garbage and returns memory to the operating system, so that each scenario is measured alone. */
const collectGarbage = async (): Promise<void> => {
  await globalThis.gc?.({ type: "major", execution: "async", flavor: "last-resort" })
}
const resetPeak = (): void => {
  try {
    writeFileSync("/proc/self/clear_refs", "5")
  } catch {
    // Not every system allows it. The peak is then that of all scenarios so far.
  }
}

const idOf = (request: number, position: number, id: string | undefined): string => id ?? `c${request}_${position}`

const scripted = ({ answer }: Scenario): Layer.Layer<LanguageModel.LanguageModel> =>
  ScriptedModel.layer((prompt, index) => {
    const { calls = [], finish, parts = [], text } = answer(index, prompt)
    return [
      ...(text === undefined ? [] : [text]),
      ...calls.map(({ id, name, text }, position) => ScriptedModel.call(name, text, idOf(index, position, id))),
      // Scenarios forge parts that a scripted model may not send, so a cast is needed.
      ...(parts as ReadonlyArray<never>),
      ...(finish === undefined ? [] : [ScriptedModel.finish(finish)])
    ]
  })

const completion = ({ calls = [], finish, text }: RawResponse, index: number): OpenAiServer.Completion => ({
  ...(text === undefined ? {} : { text }),
  calls: calls.map(({ id, name, text }, position) => ({ id: idOf(index, position, id), name, arguments: text })),
  ...(finish === undefined ? {} : { finishReason: finish === "length" ? "length" : "content_filter" })
})

const startServer = (scenario: Scenario) =>
  Effect.map(
    OpenAiServer.start(
      Array.from(
        { length: roundsOf(via, scenario) },
        // No scenario reads its prompt, so the cast passes `undefined`.
        (_, index) => (body) =>
          OpenAiServer.completion(completion(scenario.answer(index, undefined as never), index))(body)
      )
    ),
    (server) => ({
      server,
      layer: OpenAiCompatible.layer({ baseUrl: server.baseUrl, model: "hostile" }).pipe(
        Layer.provide(FetchHttpClient.layer)
      )
    })
  )

/** Answers with reasoning, which the layer sends back with each call. */
const response = ({ calls = [], finish, text }: RawResponse, index: number): ResponsesServer.Answer => ({
  thinking: "hm",
  ...(text === undefined ? {} : { text }),
  calls: calls.map(({ id, name, text }, position) => ({ id: idOf(index, position, id), name, arguments: text })),
  ...(finish === undefined ? {} : { incomplete: finish === "length" ? "max_output_tokens" : "content_filter" })
})

const startResponsesServer = (scenario: Scenario) =>
  Effect.map(
    ResponsesServer.serve(
      Array.from(
        { length: roundsOf(via, scenario) },
        // No scenario reads its prompt, so the cast passes `undefined`.
        (_, index) => (body) =>
          ResponsesServer.response(response(scenario.answer(index, undefined as never), index))(body)
      )
    ),
    (server) => ({
      server,
      layer: OpenAiResponses.layer({ baseUrl: server.baseUrl, model: "hostile" }).pipe(
        Layer.provide(FetchHttpClient.layer)
      )
    })
  )

const play = (name: string, scenario: Scenario): Effect.Effect<ScenarioReport> =>
  Effect.gen(function* () {
    const runs: Record<string, number> = {}
    let running = 0
    let maxConcurrent = 0
    const handler = (tool: string) => (args: { readonly q?: string }) =>
      Effect.suspend((): Effect.Effect<{ readonly n: number }, Error> => {
        runs[tool] = (runs[tool] ?? 0) + 1
        running += 1
        maxConcurrent = Math.max(maxConcurrent, running)
        const ended = Effect.sync(() => {
          running -= 1
          return { n: 1 }
        })
        const answer = Effect.andThen(Effect.yieldNow, ended)
        return args.q === "fail"
          ? Effect.andThen(answer, Effect.fail(new Error(`password=${secret} refused at /srv/app/deploy/db.ts:3:1`)))
          : answer
      })
    const implementations = Layer.mergeAll(
      GetOrder.layer(handler("get_order")),
      ListOrders.layer(() => handler("list_orders")({})),
      SetNote.layer(handler("set_note")),
      PlaceOrder.layer(handler("place_order")),
      NamePrice.layer(handler("name_price")),
      RefundOrder.layer(handler("refund_order"))
    )
    const guard =
      scenario.person === true
        ? Guard.layerMemoryWith(EscalationScripted.layer(Array.from({ length: 5_000 }, () => "approve" as const)))
        : Guard.layerMemory
    const start = via.startsWith("responses") ? startResponsesServer : startServer
    const wire = via === "layer" ? undefined : yield* start(scenario)
    const model = wire?.layer ?? scripted(scenario)
    const run = Agent.run({
      prompt: "Where is my order?",
      tools,
      streaming: via.endsWith("stream"),
      maxRounds: roundsOf(via, scenario)
    })
    const { transcript, usage, ...end } = yield* Effect.provide(run, Layer.mergeAll(implementations, guard, model))
    const results = transcript.content.flatMap((message) =>
      message.role === "tool" ? message.content.flatMap((part) => (part.type === "tool-result" ? [part] : [])) : []
    )
    const made = transcript.content.flatMap((message) =>
      message.role === "assistant"
        ? message.content.flatMap((part) => (part.type === "tool-call" ? [part.id] : []))
        : []
    )
    const counts = new Map<string, number>()
    for (const { id } of results) counts.set(id, (counts.get(id) ?? 0) + 1)
    const read: Record<string, number> = {}
    let longestError = 0
    for (const { result } of results) {
      const { error, status } = envelopeOf(String(result))
      const what = error === undefined ? String(status) : `${error["error_class"]} ${error["code"]}`
      read[what] = (read[what] ?? 0) + 1
      const { approval_url: _url, next: _next, ...text } = error ?? {}
      if (error !== undefined) longestError = Math.max(longestError, JSON.stringify(text).length)
    }
    const envelopes = results.map(({ result }) => String(result)).join("\n")
    return {
      name,
      end: "limit" in end ? `${end._tag} ${end.limit}` : end._tag,
      rounds: usage.rounds,
      calls: usage.calls,
      runs,
      maxConcurrent,
      violations: Transcript.validate(transcript).map(({ rule }) => rule),
      made: made.length,
      answered: made.filter((id) => counts.get(id) === 1).length,
      read,
      longestError,
      forged: envelopes.includes("forged"),
      leaked: envelopes.includes(secret) || envelopes.includes("/srv/app") || /\bat \S+ \(/u.test(envelopes),
      refusedRequests: wire?.server.requests.filter(({ refused }) => refused !== undefined).length ?? 0,
      peak: Math.round(memoryOf("VmHWM") - idle)
    }
    // the output has only reports: warnings about repaired conversations are not logged
  }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None"))

interface Envelope {
  readonly status?: unknown
  readonly error?: Readonly<Record<string, unknown>>
}

/** Parses an envelope. A text that is not JSON has no status. */
const envelopeOf = (text: string): Envelope => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const print = (value: ScenarioReport | FinishedReport): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

let idle = 0
await Effect.runPromise(play("warm", { answer: () => ({ text: "hi" }) }))
await collectGarbage()
idle = memoryOf("VmRSS")
for (const name of names) {
  const scenario = scenarios[name]
  if (scenario === undefined) continue
  if (memoryOf("VmRSS") - idle > 30) await collectGarbage()
  resetPeak()
  print(await Effect.runPromise(play(name, scenario)))
}
print({ finished: true, rejections, polluted: ["isAdmin", "prototype"].filter((key) => key in {}) })
process.exit(0)
