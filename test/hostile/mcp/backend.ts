/**
 * A backend that calls the tool of an MCP server that floods its client, and prints the error that a model would read.
 * Arguments: the program of the server, its behaviour, and the number of calls.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { Guard } from "#src/guard/Guard"
import * as McpTools from "#src/mcp/remote/McpTools"

const [server = "", behaviour = "", calls = "1"] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const box = yield* McpTools.stdio({
    command: process.execPath,
    args: [server, behaviour, "call"],
    policies: { act: { circuit: false, retry: { attempts: 1 }, timeout: calls === "1" ? "8 seconds" : "10 millis" } }
  })
  let last = ""
  for (let n = 0; n < Number(calls); n++) {
    const { text } = yield* box.answer({
      name: "act",
      arguments: { n, text: calls === "1" ? "" : "x".repeat(900_000) },
      callId: `c${n}`
    })
    last = text
    if (JSON.parse(text).error?.code === "tool_failed") break
  }
  console.log(last)
})

await Effect.runPromise(Effect.scoped(Effect.provide(program, Layer.mergeAll(Guard.layerMemory, NodeServices.layer))))
process.exit(0)
