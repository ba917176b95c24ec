/**
 * An MCP server that sends without end, in the way that its first argument names: when its tools are listed, or when
 * its tool is called if the second argument is `call`.
 */
import { createInterface } from "node:readline"

const [behaviour = "", moment = "list"] = process.argv.slice(2)

/** Writes texts repeatedly, no faster than they are read. */
const flood = (text: () => string, output: NodeJS.WriteStream = process.stdout): void => {
  while (output.write(text())) continue
  output.once("drain", () => flood(text, output))
}

const line = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`
const many = (make: (n: number) => object, count = 100): string =>
  Array.from({ length: count }, (_, n) => line(make(n))).join("")

const objects = (count: number): string => `[${"{},".repeat(count)}{}]`

let ids = 1_000_000

/** Starts the flood that the behaviour names. Returns false for other behaviours. */
const floods = (id: unknown, progressToken: unknown): boolean => {
  const result = { content: [{ type: "text", text: "done" }] }
  const notification = { method: "notifications/message", params: { level: "info", data: "x".repeat(200) } }
  const progress = { method: "notifications/progress", params: { progressToken, progress: 1 } }
  const asking = { message: "Well?", requestedSchema: { type: "object", properties: {} } }
  const texts: Readonly<Record<string, () => string>> = {
    "notifications without end": () => many(() => notification),
    "progress without end": () => many(() => progress),
    "answers with unknown ids without end": () => many(() => ({ id: (ids += 1), result })),
    "answers and notifications without end": () =>
      many((n) => (n % 2 === 0 ? { id: (ids += 1), result } : notification)),
    "errors without an id without end": () => many(() => ({ id: null, error: { code: -1, message: "no" } })),
    "requests without end": () => many(() => ({ id: (ids += 1), method: "roots/list" })),
    "questions without end": () => many(() => ({ id: (ids += 1), method: "elicitation/create", params: asking })),
    "lists of a million messages": () => `[${"1,".repeat(1_000_000)}1]\n`,
    "messages of 5,000,000 objects": () =>
      line({ method: "x", params: { a: 0 } }).replace(`"a":0`, `"a":${objects(5_000_000)}`),
    "messages of 500,000 objects": () =>
      line({ method: "x", params: { a: 0 } }).replace(`"a":0`, `"a":${objects(500_000)}`),
    "empty lines without end": () => "\n".repeat(100_000),
    "a line without end": () => "x".repeat(1_000_000)
  }
  const text = texts[behaviour]
  if (behaviour === "standard error without end") flood(() => `${"x".repeat(200)}\n`.repeat(1_000), process.stderr)
  else if (behaviour === "used ids without end") flood(() => many(() => ({ id, result })))
  else if (text === undefined) return false
  else flood(text)
  return true
}

const input = createInterface({ input: process.stdin })
input.on("line", (text) => {
  const { id, method, params } = JSON.parse(text) as { id?: number; method?: string; params: any }
  if (id === undefined || method === undefined) return
  const answer = (result: object) => void process.stdout.write(line({ id, result }))
  if (method === "initialize") {
    const serverInfo = { name: "floods", version: "1" }
    return answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo })
  }
  if (method === "tools/call") {
    if (behaviour === "input is never read") {
      input.close()
      process.stdin.pause()
      // keeps the process alive
      return void setInterval(() => {}, 60_000)
    }
    return void floods(id, params._meta?.progressToken)
  }
  if (moment === "call") {
    const tool = { name: "act", description: "Acts.", inputSchema: { type: "object" } }
    return answer({ tools: [{ ...tool, annotations: { readOnlyHint: true } }] })
  }
  if (floods(id, undefined)) return
  const nextCursor = String(Math.random())
  if (behaviour === "20,000 tools in a page") {
    return answer({ tools: Array.from({ length: 20_000 }, (_, n) => ({ name: `t${n}` })), nextCursor })
  }
  return answer({ tools: [{ name: nextCursor, description: "x".repeat(8_000_000) }], nextCursor })
})
