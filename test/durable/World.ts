/** Defines the agent of the processes. Its model makes the calls listed in the prompt, and its tools use the ledger. */
import * as DurablePostgres from "#layers/DurablePostgres"
import * as DurableSqlite from "#layers/DurableSqlite"
import * as EscalationDurable from "#layers/EscalationDurable"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import * as Postgres from "#layers/Postgres"
import * as ScriptedModel from "#layers/ScriptedModel"
import { StepStore } from "#services/StepStore"
import * as DurableAgent from "#src/durable/DurableAgent"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { Effect, Layer, Redacted, Schema } from "effect"
import type { Prompt } from "effect/ai"

const parameters = Schema.Struct({ action: Schema.String })
const success = Schema.Struct({ n: Schema.Int })

class Look extends GuardedTool.Service<Look>()("look", {
  description: "Looks at an action. Read-only.",
  access: "read",
  parameters,
  success
}) {}

/** A write whose upstream honours idempotency keys. */
class Pay extends GuardedTool.Service<Pay>()("pay", {
  description: "Pays. Writes.",
  access: "write",
  parameters,
  success,
  idempotency: { mode: "derived", upstreamHonoursKey: true }
}) {}

/** A write whose upstream ignores idempotency keys and that has no lookup. Its calls are made one after the other. */
class Print extends GuardedTool.Service<Print>()("print", {
  description: "Prints. Writes.",
  access: "write",
  parameters,
  success,
  concurrency: 1,
  idempotency: "derived"
}) {}

class Refund extends GuardedTool.Service<Refund>()("refund", {
  description: "Refunds. Writes.",
  access: "destructive",
  parameters,
  success,
  idempotency: "derived",
  approval: "confirm"
}) {}

export const toolbox = Toolbox.make(Look, Pay, Print, Refund)
export const agent = DurableAgent.make("Clerk", { tools: toolbox })

/** The calls of each round. The prompt contains them as JSON. */
export type Plan = ReadonlyArray<ReadonlyArray<readonly [tool: string, action: string]>>

export const promptOf = (plan: Plan): string => JSON.stringify(plan)

const model = ScriptedModel.layer((prompt: Prompt.Prompt) => {
  const at = prompt.content.filter(({ role }) => role === "assistant").length
  const user = prompt.content.find(({ role }) => role === "user")
  const text = [user?.content ?? []]
    .flat()
    .flatMap((part) => (typeof part === "string" ? part : part.type === "text" ? part.text : []))
    .join("")
  const calls = (JSON.parse(text) as Plan)[at]
  return calls === undefined
    ? "It is done."
    : calls.map(([tool, action], place) => ScriptedModel.call(tool, { action }, `call_${at}_${place}`))
})

const request = (url: string, init: RequestInit) =>
  Effect.promise(async (signal) => (await fetch(url, { ...init, signal })).json() as Promise<{ n: number }>)

const tools = (ledger: string) => {
  const post = (action: string, headers: Record<string, string>) =>
    request(`${ledger}/write/${action}`, { method: "POST", headers: { ...headers, "x-process": `${process.pid}` } })
  const keyed = ({ action }: { readonly action: string }, { idempotencyKey = "" }: GuardedTool.HandlerContext) =>
    post(action, { "idempotency-key": idempotencyKey })
  const unkeyed = ({ action }: { readonly action: string }) => post(action, {})
  return Layer.mergeAll(
    Look.layerTest(({ action }) => request(`${ledger}/read/${action}`, {})),
    Pay.layerTest(keyed),
    Print.layerTest(unkeyed),
    Refund.layerTest(unkeyed)
  )
}

/** Provides the model, and the tools on a ledger. */
export const services = (ledger: string) => Layer.merge(tools(ledger), model)

export interface RunnerOptions {
  readonly ledger: string
  /** A SQLite file, or the URL of a PostgreSQL database. */
  readonly database: string
  readonly port: number
  /** True for the default times of a runner on PostgreSQL. Default false: short times, so that tests do not wait for them. */
  readonly hasDefaultTimes?: boolean
  /** True if SIGTERM drains the runner. Default false: it interrupts the runner immediately. */
  readonly drains?: boolean
  /** True if each step is an activity of the engine, as in version 0.1.0. Default false. */
  readonly hasActivities?: boolean
}

const isPostgres = (database: string) => database.startsWith("postgres:")

export const interval = "200 millis"

/** Provides the engine of a process that starts, polls and decides runs, but does not execute them. */
export const client = (database: string) =>
  isPostgres(database)
    ? DurablePostgres.client({ interval }).pipe(Layer.provide(Postgres.layer({ url: Redacted.make(database) })))
    : DurableSqlite.client({ filename: database, interval })

/** Provides all layers of a runner. */
export const runner = ({ database, hasActivities = false, hasDefaultTimes = false, ledger, port }: RunnerOptions) => {
  const times = hasDefaultTimes ? {} : ({ interval, lockExpiration: "3 seconds", handOver: "1 second" } as const)
  const engine = isPostgres(database)
    ? DurablePostgres.layer({
        host: "127.0.0.1",
        port,
        ...times
      }).pipe(Layer.provideMerge(Postgres.layer({ url: Redacted.make(database) })))
    : DurableSqlite.layer({ filename: database, interval })
  const tell = (question: EscalationDurable.DurableQuestion) =>
    request(`${ledger}/asked`, { method: "POST", body: JSON.stringify(question) })
  const guard = Guard.layerMemoryWith(Layer.merge(IdempotencyKeysSql.layer, EscalationDurable.layer({ tell })))
  const steps = hasActivities ? Layer.succeed(StepStore, undefined) : Layer.empty
  return agent.layer.pipe(Layer.provide([guard, services(ledger), steps]), Layer.provideMerge(engine))
}
