/** A process that executes runs with a journal and kills itself at the point in its task: `node worker.ts TASK`. */
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as DigestMemory from "#layers/DigestMemory"
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import * as RedisNode from "#layers/RedisNode"
import * as ScriptedModel from "#layers/ScriptedModel"
import * as SqliteNode from "#layers/SqliteNode"
import * as Pipeline from "#pipeline/Pipeline"
import type { Stage } from "#pipeline/call/Stage"
import { Checkpoints } from "#services/Checkpoints"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { Prompt } from "effect/ai"
import { Agent as HttpAgent, request } from "node:http"
import { dirname } from "node:path"
import { StatementSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { type Mode, type Point, redisPrefix, type Report, type Task } from "./plan.ts"

const task: Task = JSON.parse(process.argv[2] ?? "")
const die = (): never => {
  process.kill(process.pid, "SIGKILL")
  throw new Error("unreachable")
}
const dieAt = (point: Point) => Effect.sync(() => (task.point === point ? die() : undefined))

const Effects = Schema.Struct({ done: Schema.Boolean })
const Which = Schema.Struct({ run: Schema.String, id: Schema.String })

const agent = new HttpAgent({ keepAlive: true })
const call = (method: string, path: string, headers: Record<string, string>, sent: () => void) =>
  Effect.tryPromise(
    () =>
      new Promise<unknown>((resolve, reject) => {
        const sending = request(`${task.service}${path}`, { method, headers, agent }, (response) => {
          let text = ""
          response.on("data", (chunk) => (text += String(chunk)))
          response.on("end", () => resolve(JSON.parse(text)))
        })
        sending.on("error", reject)
        sending.on("socket", (socket) => {
          sending.on("finish", () => {
            if (socket.writableLength === 0) sent()
            else socket.once("drain", sent)
          })
        })
        sending.end()
      })
  )

class Look extends GuardedTool.Service<Look>()("look", {
  description: "Returns whether an effect happened. Read-only.",
  access: "read",
  parameters: Which,
  success: Effects
}) {}

const times = { timeout: "2 seconds", deadline: "3 seconds", retry: { attempts: 1 } } as const
const base = { description: "Does something.", access: "write", parameters: Which, success: Effects } as const

const Honoured = GuardedTool.Service<{ readonly _: "honoured" }>()("act", {
  ...base,
  ...times,
  idempotency: { mode: "derived", upstreamHonoursKey: true }
})
const Looked = GuardedTool.Service<{ readonly _: "looked" }>()("act", {
  ...base,
  ...times,
  idempotency: "derived",
  reconcile: {
    tool: Look,
    arguments: (which) => which,
    found: ({ done }) => (done ? Option.some({ done: true }) : Option.none())
  }
})
const Keyed = GuardedTool.Service<{ readonly _: "keyed" }>()("act", { ...base, ...times, idempotency: "derived" })
const Plain = GuardedTool.Service<{ readonly _: "plain" }>()("act", { ...base, timeout: "2 seconds" })

const handler = (which: typeof Which.Type, context: GuardedTool.HandlerContext) => {
  const query = task.mode === "honoured key" ? "?honours" : ""
  const kill = task.point === "effect done, before its answer" ? { "x-kill": String(process.pid) } : {}
  const headers = { "idempotency-key": context.idempotencyKey, ...kill }
  const sent = () => {
    if (task.point === "effect sent") die()
  }
  return call("POST", `/effects/${which.run}/${which.id}${query}`, headers, sent) as Effect.Effect<typeof Effects.Type>
}

const tools: Record<Mode, { readonly tool: GuardedTool.AnyTool; readonly layer: Layer.Layer<any> }> = {
  "honoured key": { tool: Honoured, layer: Honoured.layer(handler) },
  lookup: { tool: Looked, layer: Looked.layer(handler) },
  "own key": { tool: Keyed, layer: Keyed.layer(handler) },
  "no key": { tool: Plain, layer: Plain.layer(handler) }
}
const lookLayer = Look.layer(
  ({ id, run }) => call("GET", `/effects/${run}/${id}`, {}, () => undefined) as Effect.Effect<typeof Effects.Type>
)

/** Creates a model that writes once per round and then answers. Like a real model, it depends only on the conversation. */
const model = (run: string) =>
  ScriptedModel.layer((prompt: Prompt.Prompt) => {
    const at = prompt.content.filter(({ role }) => role === "assistant").length
    return at < task.writes ? [ScriptedModel.call("act", { run, id: `w${at}` }, `call_${at}`)] : ["done"]
  })

const killing = (name: string, point: Point): Stage => ({
  name,
  make: Effect.succeed(
    () => (next) => (call) =>
      call.tool.definition.access === "read" ? next(call) : Effect.andThen(dieAt(point), next(call))
  )
})

/** Kills the process from another thread while the statement that completes a key is being committed. */
const killInCommit = async () => {
  const shared = new Int32Array(new SharedArrayBuffer(4))
  const source = `const { workerData } = require("node:worker_threads")
    require("node:worker_threads").parentPort.postMessage("ready")
    Atomics.wait(workerData.shared, 0, 0)
    const until = process.hrtime.bigint() + BigInt(Math.floor(Math.random() * 2_000_000))
    while (process.hrtime.bigint() < until);
    process.kill(process.pid, "SIGKILL")`
  const thread = new Worker(source, { eval: true, workerData: { shared } })
  await new Promise((resolve) => thread.once("message", resolve))
  const { all } = StatementSync.prototype
  StatementSync.prototype.all = function (this: StatementSync, ...values: ReadonlyArray<never>) {
    if (/^UPDATE toolguard_keys\s+SET outcome/.test(this.sourceSQL)) {
      Atomics.store(shared, 0, 1)
      Atomics.notify(shared, 0)
    }
    return Reflect.apply(all, this, values)
  } as typeof all
}

const keysLayer =
  task.redis === undefined
    ? IdempotencyKeysSql.layer
    : IdempotencyKeysRedis.layerWith({ prefix: redisPrefix(dirname(task.database)) }).pipe(
        Layer.provide(RedisNode.layer({ url: Redacted.make(task.redis) }))
      )

const dyingKeys = Layer.effect(
  IdempotencyKeys,
  Effect.map(IdempotencyKeys, (keys) => ({
    ...keys,
    complete: (...args) => Effect.andThen(dieAt("before complete"), keys.complete(...args))
  }))
).pipe(Layer.provide(keysLayer))

const dyingCheckpoints = Layer.effect(
  Checkpoints,
  Effect.map(Checkpoints, (checkpoints) => ({
    ...checkpoints,
    append: (key, owner, row) =>
      Effect.andThen(
        row.body.startsWith(`{"kind":"call"`) ? dieAt("before the journal") : Effect.void,
        checkpoints.append(key, owner, row)
      )
  }))
).pipe(Layer.provide(CheckpointsSql.layer))

const stages = Pipeline.insertBefore(
  "deadline",
  killing("kill after claim", "after claim")
)(Pipeline.insertBefore("claim", killing("kill before claim", "before claim"))(Pipeline.stages))

const guard = Guard.layerOf(task.withoutClaim === true ? Pipeline.remove("claim")(stages) : stages).pipe(
  Layer.provideMerge(Layer.merge(dyingKeys, dyingCheckpoints)),
  Layer.provide(SqliteNode.layer({ filename: task.database })),
  Layer.provideMerge(Guard.memory)
)

const { layer, tool } = tools[task.mode]
const toolbox = Toolbox.make(tool as typeof Honoured)

const report = (run: string) =>
  Effect.map(
    Agent.checkpointed({ run, prompt: `Do ${task.writes} things.`, tools: toolbox, takeOver: true }),
    (end): Report => {
      const results = end.transcript.content.flatMap((message) =>
        message.role === "tool" ? message.content.flatMap((part) => (part.type === "tool-result" ? [part] : [])) : []
      )
      const isUnknown = (result: unknown) => String(result).includes('"code":"outcome_unknown"')
      return {
        run,
        end: end._tag,
        transcript: JSON.stringify(Schema.encodeSync(Prompt.Prompt)(end.transcript)).replaceAll(
          /tr_[0-9a-f]+_\d+/gu,
          "tr"
        ),
        unknown: results.filter(({ result }) => isUnknown(result)).map(({ id }) => id.replace("call_", "w"))
      }
    }
  ).pipe(Effect.provide(model(run)))

if (task.point === "in commit") await killInCommit()
process.stdout.write("ready\n")
await Effect.forEach(
  task.runs,
  (run) => Effect.map(report(run), (result) => process.stdout.write(`${JSON.stringify(result)}\n`)),
  { concurrency: task.mode === "lookup" ? 10 : 1 } // with a lookup, each run waits until the lease of the killed process expires
).pipe(Effect.provide(Layer.mergeAll(guard, layer, lookLayer, DigestMemory.layer)), Effect.runPromise)
// waits for the kill by the other thread, which may be late on a busy machine
if (task.point === "in commit") await new Promise(() => undefined)
process.exit(0)
