/**
 * Measures the cost of the proxy per call: `npm run bench:mcp`.
 *
 * Makes the same call directly and through `toolguard mcp proxy`, alternately, over standard input and output. Prints the medians
 * and their difference for a small server without a library and for the published `server-everything`.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { proxied } from "../support/command.ts"
import { type Client, hello, hostile, start } from "../support/McpClient.ts"

const rounds = Number(process.argv[2] ?? 1_500)
/** Warm-up rounds, which do not count. */
const warm = Math.ceil(rounds / 3)

const everything = join(
  import.meta.dirname,
  "../interop/node_modules/@modelcontextprotocol/server-everything/dist/index.js"
)

const open = async (command: ReadonlyArray<string>): Promise<Client> => {
  const client = start(command)
  await hello(client)
  await client.ask("tools/list")
  return client
}

const time = async (client: Client, name: string, args: object): Promise<number> => {
  const before = performance.now()
  const result = await client.call(name, args)
  const millis = performance.now() - before
  if (result["isError"] === true) throw new Error(JSON.stringify(result))
  return millis
}

const quantile = (times: ReadonlyArray<number>, part: number): number =>
  times.slice(warm).toSorted((a, b) => a - b)[Math.floor((times.length - warm) * part)] ?? 0

const measure = async (title: string, server: ReadonlyArray<string>, name: string, args: (n: number) => object) => {
  const direct = await open(server)
  const guarded = await open(proxied([], server))
  const times: { readonly direct: Array<number>; readonly guarded: Array<number> } = { direct: [], guarded: [] }
  for (let n = 0; n < rounds; n++) {
    times.direct.push(await time(direct, name, args(n)))
    times.guarded.push(await time(guarded, name, args(n)))
  }
  const [a, b] = [quantile(times.direct, 0.5), quantile(times.guarded, 0.5)]
  const more = b - a
  console.log(
    `${title}: direct p50 ${a.toFixed(3)} ms, through the proxy ${b.toFixed(3)} ms: ${more.toFixed(3)} ms more` +
      ` (p95 ${quantile(times.direct, 0.95).toFixed(3)} and ${quantile(times.guarded, 0.95).toFixed(3)} ms)`
  )
  await Promise.all([direct.end(), guarded.end()])
}

await measure("small server", hostile("behaves"), "act", (n) => ({ n }))
if (existsSync(everything)) {
  const server = [process.execPath, everything, "stdio"]
  await measure("server-everything", server, "echo", (n) => ({ message: `message ${n}` }))
}
