/**
 * An MCP server over standard input and output that executes notifications as calls too. It appends every line that it
 * receives, and the names of its variables, to the file that its first argument names. The arguments of its tool say for
 * how many milliseconds it waits, and how many notifications of 1,000 characters it sends first.
 */
import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"

const [file = ""] = process.argv.slice(2)
const send = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const tool = { name: "act", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }
const notification = { method: "notifications/message", params: { level: "info", data: "x".repeat(1_000) } }

appendFileSync(file, `${Object.keys(process.env).join()}\n`)
createInterface({ input: process.stdin }).on("line", (line) => {
  appendFileSync(file, `${line}\n`)
  const { id, method, params = {} } = JSON.parse(line)
  if (method === "initialize")
    return send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "s", version: "1" }
      }
    })
  if (method === "tools/list") return send({ id, result: { tools: [tool] } })
  if (method !== "tools/call") return
  const { chat = 0, wait = 0 } = params.arguments ?? {}
  for (let n = 0; n < chat; n += 1) send(notification)
  setTimeout(() => send({ id, result: { content: [{ type: "text", text: "done" }] } }), wait)
})
