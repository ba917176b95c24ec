/** The shapes of large data that `npm run bench:holds` measures: results, failures and arguments of 10 MB. */
import { Effect, Layer, ManagedRuntime, Schema } from "effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import { Agent, Guard, GuardedTool, Toolbox } from "#src/index"
import * as ScriptedModel from "#layers/ScriptedModel"
import { type CompiledTool, compiledOf } from "#pipeline/call/CompiledTool"
import * as W from "./workload.ts"

/** A tool whose calls are large. */
export interface LargeCalls {
  readonly tool: CompiledTool
  /** Makes a call, which differs from the calls before. */
  readonly call: (index: number) => Promise<unknown>
}

/** The size of the data in characters of JSON, which is a little less than the limit of results. */
const characters = 9_900_000

interface Options {
  /** The schema of the results. Default: any JSON. */
  readonly success?: Schema.Codec<unknown, unknown>
  readonly access?: "read" | "write"
  /** The longest arguments, in characters. Default: 10,000,000. */
  readonly argumentBytes?: number
  /** Returns the arguments of a call. Default: small arguments. */
  readonly arguments?: (index: number) => unknown
  /** True if the call is part of a run of the agent. */
  readonly isInRun?: boolean
}

const Parameters = Schema.Struct({ page: Schema.Int, orders: Schema.optionalKey(W.wide.Output().fields.orders) })

/** Returns the calls of a tool whose handler answers with this effect. */
const calls = (
  answer: Effect.Effect<unknown, unknown>,
  {
    access = "read",
    argumentBytes = 10_000_000,
    arguments: argumentsOf,
    isInRun = false,
    success = Schema.Json
  }: Options = {}
): LargeCalls => {
  const definition = { description: "Searches orders.", limits: { argumentBytes }, parameters: Parameters, success }
  class LargeRead extends GuardedTool.Service<LargeRead>()("search_orders", {
    ...definition,
    access: "read",
    retry: { attempts: 1 }
  }) {}
  class LargeWrite extends GuardedTool.Service<LargeWrite>()("search_orders", { ...definition, access: "write" }) {}
  const Large = access === "read" ? LargeRead : LargeWrite
  const tools = Toolbox.make(Large)
  // the answer has any type, also one that the schema refuses
  const handler = () => answer as Effect.Effect<never>
  const runtime = ManagedRuntime.make(Layer.mergeAll(Large.layer(handler), Guard.layerMemory))
  const answered = (page: number) => {
    const args = argumentsOf?.(page) ?? JSON.stringify({ page })
    return Guard.turn(tools.answer({ name: Large.toolName, arguments: args, callId: "c" }))
  }
  const run = (page: number) =>
    Effect.provide(
      Agent.run({ prompt: "Which orders?", tools }),
      ScriptedModel.layer([ScriptedModel.call(Large.toolName, { page }), "These."])
    )
  return {
    tool: compiledOf(Large),
    call: (page) => (isInRun ? runtime.runPromise(run(page)) : runtime.runPromise(answered(page)))
  }
}

/** Returns as many items as fit. */
const items = <A>(one: (index: number) => A): ReadonlyArray<A> => {
  const length = JSON.stringify(one(10_000)).length + 1
  return Array.from({ length: Math.floor(characters / length) }, (_, index) => one(index))
}

const wideOrders = () => ({
  ...W.wide.result,
  orders: items((index) => ({ ...W.wide.result.orders[0], id: `O-${index}` }))
})
const smallObjects = () => Array.from({ length: 100_000 }, (_, id) => ({ id, name: `Name ${id}`, isActive: true }))
const nested = () => {
  let inner: unknown = "a text ".repeat(1_100)
  for (let level = 0; level < 150; level++) inner = level % 2 === 0 ? [inner] : { inner }
  return items(() => inner)
}
const manyKeys = () =>
  Object.fromEntries(Array.from({ length: 99_000 }, (_, index) => [`field_${index}`, `The value of number ${index}`]))
const sentences = () => "The order was sent, and it will arrive on Friday. ".repeat(characters / 50)
const secrets = () =>
  items((index) => ({
    id: index,
    user: `user-${index}`,
    api_token: `ghp_${String(index).padStart(36, "a7Kd9")}`,
    note: "a note"
  }))
const logLines = () =>
  items((index) => `12:00:01 user ${index} logged in with password=hunter${index} and the key of the api`).join("\n")
const pages = () => `<html><body>${"<p>An error occurred.</p>\n".repeat(characters / 25)}</body></html>`

const body = (text: string, status: number): Effect.Effect<unknown> => {
  const bytes = new TextEncoder().encode(text)
  return Effect.sync(() => {
    let at = 0
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (at >= bytes.length) return controller.close()
        const chunk = bytes.slice(at, (at += 65_536))
        return new Promise((resolve) =>
          setImmediate(() => {
            controller.enqueue(chunk)
            resolve()
          })
        )
      }
    })
    return HttpClientResponse.fromWeb(
      HttpClientRequest.get("https://api.test/orders"),
      new Response(stream, { status })
    )
  })
}

const text = (value: unknown) => Effect.succeed(JSON.stringify(value))

/** The shapes by name. Each is made when it is measured, so that only one is in memory. */
export const shapes: Readonly<Record<string, () => LargeCalls>> = {
  "orders as text": () => calls(text(wideOrders()), { success: W.wide.Output() }),
  "orders as text, of an open schema": () => calls(text(wideOrders())),
  "orders as the body of a response": () =>
    calls(body(JSON.stringify(wideOrders()), 200), { success: W.wide.Output() }),
  "orders as a value": () => calls(Effect.succeed(wideOrders()), { success: W.wide.Output() }),
  "orders in a run of the agent": () => calls(text(wideOrders()), { success: W.wide.Output(), isInRun: true }),
  "orders as the result of a write": () => calls(text(wideOrders()), { success: W.wide.Output(), access: "write" }),
  "100,000 small objects as a value": () => calls(Effect.succeed(smallObjects())),
  "100,000 small objects as text": () => calls(text(smallObjects())),
  "one text": () => calls(text(sentences())),
  "one text as a value": () => calls(Effect.succeed(sentences()), { success: Schema.String }),
  "one text without spaces": () => calls(text("x".repeat(characters))),
  "one text with secrets": () => calls(text(logLines())),
  "150 levels": () => calls(text(nested())),
  "99,000 field names": () => calls(text(manyKeys())),
  "secrets as text": () => calls(text(secrets())),
  "secrets as a value": () => calls(Effect.succeed(secrets())),
  "an error with the text": () => calls(Effect.fail(new Error(sentences()))),
  "an error with the orders": () => calls(Effect.fail({ message: "failed", orders: wideOrders() })),
  "a response of status 500": () => calls(body(sentences(), 500)),
  "text that is no JSON": () => calls(Effect.succeed(sentences())),
  "a page": () => calls(Effect.succeed(pages())),
  "arguments that are no JSON": () => {
    const all = wideOrders().orders
    return calls(Effect.succeed(1), {
      arguments: (page) => JSON.stringify({ page, orders: all }).replace(/\}$/u, ",}")
    })
  },
  "truncated orders": () =>
    calls(Effect.succeed(JSON.stringify(wideOrders()).slice(0, -100)), { success: W.wide.Output() }),
  "orders that violate the schema": () => calls(text({ ...wideOrders(), page: "last" }), { success: W.wide.Output() }),
  "arguments as text": () => {
    const all = wideOrders().orders
    return calls(Effect.succeed(1), { arguments: (page) => JSON.stringify({ page, orders: all }) })
  },
  "arguments of a write as text": () => {
    const all = wideOrders().orders
    return calls(Effect.succeed(1), { access: "write", arguments: (page) => JSON.stringify({ page, orders: all }) })
  },
  "arguments as a value": () => {
    const all = wideOrders().orders
    return calls(Effect.succeed(1), { arguments: (page) => ({ page, orders: all }) })
  },
  "arguments above the limit": () => {
    const all = wideOrders().orders
    return calls(Effect.succeed(1), {
      argumentBytes: 1_000_000,
      arguments: (page) => JSON.stringify({ page, orders: all })
    })
  },
  "arguments above the limit as a value": () => {
    const all = wideOrders().orders
    return calls(Effect.succeed(1), { argumentBytes: 1_000_000, arguments: (page) => ({ page, orders: all }) })
  }
}
