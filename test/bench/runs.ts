/**
 * `npm run bench:runs`: the memory and CPU of runs of the agent loop.
 *
 * **Details**
 *
 * - Memory of many runs at once: each has ended one round with a call and waits within its second call.
 * - CPU of a round in a conversation of 10, 100 and 1,000 messages. The model is constant, so that only the loop is
 *   measured.
 * - Memory over many turns of virtual time, past the lifetimes of everything that is kept: 1,000 turns are followed by two
 *   days. `-- --turns N` sets the number of turns (default 100,000).
 *
 * `-- --json` prints one JSON object. Needs `--expose-gc`.
 */
import * as PlayedModel from "#layers/internal/model/PlayedModel"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { LanguageModel, Prompt } from "effect/ai"
import { TestClock } from "effect/testing"
import { median } from "./measure.ts"

const option = (name: string, fallback: number): number => {
  const at = process.argv.indexOf(`--${name}`)
  const value = at === -1 ? fallback : Number(process.argv[at + 1])
  if (Number.isInteger(value) && value > 0) return value
  console.error(`--${name} must be a positive integer.`)
  return process.exit(1)
}
const { gc } = globalThis
if (gc === undefined) {
  console.error("Run this with `npm run bench:runs`, which sets --expose-gc.")
  process.exit(1)
}

const runsAtOnce = option("runs", 10_000)
const turns = option("turns", 100_000)

class Look extends GuardedTool.Service<Look>()("find_order", {
  description: "Finds an order. Read-only.",
  access: "read",
  parameters: Schema.Struct({ id: Schema.String }),
  success: Schema.Struct({ id: Schema.String, cents: Schema.Int }),
  concurrency: 1_000_000
}) {}

class Refund extends GuardedTool.Service<Refund>()("refund_order", {
  description: "Refunds an order. Writes.",
  access: "write",
  parameters: Schema.Struct({ id: Schema.String }),
  success: Schema.Struct({ id: Schema.String }),
  idempotency: { mode: "derived" }
}) {}

/** Returns the parts of an answer with a call, or of the last answer. */
const answerOf = (call: { readonly name: string; readonly params: object } | undefined, id: string) =>
  // encoded parts, which the type of the function does not accept
  (call === undefined
    ? [
        { type: "text", text: "Done." },
        { type: "finish", reason: "stop", usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } } }
      ]
    : [
        { type: "tool-call", id, ...call },
        { type: "finish", reason: "tool-calls", usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } } }
      ]) as never

/** Counts the answers of the model in a prompt. */
const roundOf = ({ content }: typeof Prompt.empty): number => {
  let round = 0
  for (let at = content.length - 1; at >= 0 && content[at]?.role !== "user"; at--)
    if (content[at]?.role === "assistant") round += 1
  return round
}

/** A model that makes a number of reads, and then a write, if there is one. */
const modelOf = (reads: number, writes: boolean) =>
  Layer.effect(
    LanguageModel.LanguageModel,
    PlayedModel.make(({ prompt }, index) =>
      Effect.sync(() => {
        const round = roundOf(prompt)
        if (round < reads) return answerOf({ name: "find_order", params: { id: `O-${round}` } }, `call_${index}`)
        return answerOf(
          writes && round === reads ? { name: "refund_order", params: { id: `O-${index}` } } : undefined,
          `call_${index}`
        )
      })
    )
  )

const heapOf = (): number => {
  gc()
  gc()
  return process.memoryUsage().heapUsed
}

const cpuMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

const tools = Toolbox.make(Look, Refund)
const refund = Refund.layer(({ id }) => Effect.succeed({ id }))

/** Returns the bytes of heap of each of many runs that wait in their second call. */
const bytesOfRun = Effect.gen(function* () {
  const release = yield* Deferred.make<void>()
  let waiting = 0
  const look = Look.layer(({ id }) => {
    if (id === "O-0") return Effect.succeed({ id, cents: 1 })
    waiting += 1
    return Effect.as(Deferred.await(release), { id, cents: 1 })
  })
  const all = Effect.gen(function* () {
    const run = Agent.run({ prompt: "Look at two orders.", tools })
    // the first run compiles the tools
    yield* Effect.forkChild(run)
    while (waiting < 1) yield* Effect.sleep(1)
    const before = heapOf()
    const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
    for (let i = 0; i < runsAtOnce; i++) fibers.push(yield* Effect.forkChild(run))
    while (waiting < runsAtOnce + 1) yield* Effect.sleep(5)
    const bytes = (heapOf() - before) / runsAtOnce
    yield* Deferred.succeed(release, undefined)
    for (const fiber of fibers) yield* Fiber.join(fiber)
    return bytes
  })
  return yield* Effect.provide(all, Layer.mergeAll(look, refund, modelOf(2, false), Layer.fresh(Guard.layerMemory)))
})

const looked = Look.layer(({ id }) => Effect.succeed({ id, cents: 1 }))
const rounds = 20

/** Returns the CPU milliseconds of a round in a conversation of a number of messages. */
const millisOfRound = (messages: number) =>
  Effect.gen(function* () {
    const earlier = Array.from({ length: messages }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: [{ type: "text", text: `Message ${at} of the conversation.` }]
    }))
    const prompt = Prompt.make([...earlier, { role: "user", content: "Look at the orders." }] as never)
    const times: Array<number> = []
    for (let i = 0; i < 12; i++) {
      const start = cpuMillis()
      yield* Agent.run({ prompt, tools, maxRounds: rounds + 5 })
      times.push((cpuMillis() - start) / (rounds + 1))
    }
    return median(times.slice(3))
  }).pipe(Effect.provide(Layer.mergeAll(looked, refund, modelOf(rounds, false), Layer.fresh(Guard.layerMemory))))

/** Returns the heap, in megabytes, at ten points of many turns with a read and a keyed write each. */
const heapOverTurns = Effect.gen(function* () {
  const heaps: Array<number> = []
  const step = Math.ceil(turns / 10)
  for (let turn = 0; turn < turns; turn++) {
    yield* Agent.run({ prompt: "Refund an order.", tools })
    if (turn % 1_000 === 999) yield* TestClock.adjust("2 days")
    if (turn % step === step - 1) heaps.push(Math.round(heapOf() / 1e5) / 10)
  }
  return heaps
}).pipe(
  Effect.provide(
    Layer.mergeAll(looked, refund, modelOf(1, true), Layer.fresh(Guard.layerMemory)).pipe(
      Layer.provideMerge(TestClock.layer())
    )
  )
)

const bytes = Math.round(await Effect.runPromise(bytesOfRun))
const millis: Record<string, number> = {}
for (const messages of [10, 100, 1_000]) {
  millis[messages] = Number((await Effect.runPromise(millisOfRound(messages))).toFixed(3))
}
const heaps = await Effect.runPromise(heapOverTurns)
if (process.argv.includes("--json"))
  console.log(JSON.stringify({ runsAtOnce, bytesOfRun: bytes, millisOfRound: millis, turns, heaps }))
else {
  console.log(`${runsAtOnce} runs at once, each within its second call: ${(bytes / 1024).toFixed(1)} KB of heap each`)
  for (const [messages, each] of Object.entries(millis))
    console.log(`a round in a conversation of ${messages} messages: ${each} ms of CPU`)
  console.log(
    `${turns} turns of a read and a keyed write, and two days after each thousand: heap of ${heaps.join(", ")} MB`
  )
}
process.exit(0)
