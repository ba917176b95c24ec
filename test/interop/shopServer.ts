/**
 * Runs a server of the official SDK. Its tools have no hints, like those of most published servers. The tools add items to
 * an order, return the status of a job that is done at the fifth question, and fail.
 */
import { join } from "node:path"
import { installed } from "./packages.ts"

const esm = join(installed, "@modelcontextprotocol/sdk/dist/esm")
const [{ Server }, { StdioServerTransport }, { CallToolRequestSchema, ListToolsRequestSchema, McpError }] =
  await Promise.all(
    ["server/index.js", "server/stdio.js", "types.js"].map((file) => import(join(esm, file)) as Promise<any>)
  )

const items: Array<string> = []
let questions = 0

const text = (value: string, more: object = {}) => ({ content: [{ type: "text", text: value }], ...more })

const calls: Readonly<Record<string, (args: Record<string, string>) => object>> = {
  add_item: ({ name = "" }) => text(`added as number ${items.push(name)}`),
  count_items: () => text(JSON.stringify({ items: items.length })),
  get_job: () => text(JSON.stringify({ status: (questions += 1) < 5 ? "running" : "done" })),
  run_code: () => {
    const error = new Error("no seats left on flight 7")
    return text(`Error: Command failed: node job.js\n${String(error.stack)}`, { isError: true })
  },
  reset_branch: () => {
    throw new McpError(-32_603, "Cannot reset the protected branch main\nwithout confirmation")
  },
  read_sheet: () => {
    throw new Error("open plan.xlsx: no such file or directory")
  }
}

const server = new Server({ name: "shop", version: "1" }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.keys(calls).map((name) => ({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object", properties: { name: { type: "string" } } }
  }))
}))
server.setRequestHandler(CallToolRequestSchema, ({ params }: any) => calls[params.name]?.(params.arguments ?? {}))
await server.connect(new StdioServerTransport())
