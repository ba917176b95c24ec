/** Calls tools from a host that opens no turns, and prints the logged warnings as JSON. */
import { Effect, Logger } from "effect"
import { Guard } from "#src/guard/Guard"
import * as Toolbox from "#src/tool/Toolbox"
import { tool } from "../pipeline/support.ts"

const search = tool("search", {}, { n: 1 })
const { tools } = Toolbox.make(search.tool)
const warnings: Array<string> = []
const logger = Logger.make(({ message }) => void warnings.push(String(message)))
const ask = Effect.flatMap(Guard, (guard) =>
  guard.answer(tools, { name: "search", arguments: { q: "a" }, callId: "call" })
)

/** Runs a part of the program with a new guard. */
const run = (effect: Effect.Effect<unknown, unknown, any>): Promise<unknown> =>
  Effect.runPromise(
    Effect.provide(effect, [Guard.layerMemory, search.layer, Logger.layer([logger])]) as Effect.Effect<unknown>
  )

await run(search.tool.call({ q: "a" }))
await run(Guard.turn(ask))
const before = warnings.length
await run(Effect.all([ask, ask]))
await run(ask)
console.log(JSON.stringify({ before, warnings }))
