/** A client of MCP without a library: it sees every message as it comes, and sends what it is told. */
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { endWithTest } from "./children.ts"
import { root } from "./sources.ts"

export type Message = Record<string, any>

export interface Client {
  /** Sends a request and waits for its answer. */
  readonly ask: (method: string, params?: object, id?: string | number) => Promise<Message>
  readonly tell: (method: string, params?: object) => void
  /** Sends a text as it is. */
  readonly write: (text: string) => void
  /** Calls a tool: its result, or the error. */
  readonly call: (name: string, args?: object, more?: object) => Promise<Message>
  /** The envelope of a call's first text. */
  readonly envelope: (name: string, args?: object) => Promise<Message>
  /** Everything that came, in order. */
  readonly came: ReadonlyArray<Message>
  readonly lines: ReadonlyArray<string>
  readonly stderr: () => string
  /** Answers requests of the server. */
  onRequest: (request: Message) => Message | undefined
  /** Waits for a message that came, or will. */
  readonly wait: (which: (message: Message) => boolean) => Promise<Message>
  /** Closes its input and waits for the exit code. */
  readonly end: () => Promise<number | null>
  readonly exit: Promise<number | null>
  readonly process: ChildProcess
}

/** Starts a program and speaks with it. */
export const start = (
  command: ReadonlyArray<string>,
  options: { readonly env?: Readonly<Record<string, string>> } = {}
): Client => {
  const [program = "", ...args] = command
  const child = endWithTest(
    spawn(program, args, { cwd: root, stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...options.env } })
  )
  const came: Array<Message> = []
  const lines: Array<string> = []
  const waiting = new Set<() => void>()
  let ids = 0
  let begun = ""
  let said = ""
  child.stdin.on("error", () => {})
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text
  })
  const write = (text: string) => void child.stdin.write(`${text}\n`)
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (begun + chunk).split("\n")
    begun = parts.pop() ?? ""
    for (const line of parts) {
      const message = JSON.parse(line) as Message
      lines.push(line)
      came.push(message)
      if (message["method"] !== undefined && message["id"] !== undefined) {
        const answer = client.onRequest(message)
        if (answer !== undefined) write(JSON.stringify({ jsonrpc: "2.0", id: message["id"], ...answer }))
      }
    }
    for (const look of waiting) look()
  })
  const exit = new Promise<number | null>((resolve) => {
    child.on("close", (code) => {
      resolve(code)
      for (const look of waiting) look()
    })
  })
  const wait: Client["wait"] = (which) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = came.find(which)
        if (found === undefined && child.exitCode === null && child.signalCode === null) return
        waiting.delete(look)
        if (found === undefined) reject(new Error(`It has ended: ${said.slice(-500)}`))
        else resolve(found)
      }
      waiting.add(look)
      look()
    })
  const ask: Client["ask"] = (method, params, id = (ids += 1)) => {
    write(JSON.stringify({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) }))
    return wait((message) => message["id"] === id && message["method"] === undefined)
  }
  const call: Client["call"] = async (name, args = {}, more = {}) => {
    const { error, result } = await ask("tools/call", { name, arguments: args, ...more })
    return error === undefined ? result : { error }
  }
  const client: Client = {
    ask,
    tell: (method, params) =>
      write(JSON.stringify({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) })),
    write,
    call,
    envelope: async (name, args) => JSON.parse((await call(name, args))["content"][0].text) as Message,
    came,
    lines,
    stderr: () => said,
    onRequest: () => undefined,
    wait,
    end: () => {
      child.stdin.end()
      // one that stays is a fault that the test sees: its exit code is null
      const killing = setTimeout(() => child.kill("SIGKILL"), 10_000)
      return exit.finally(() => clearTimeout(killing))
    },
    exit,
    process: child
  }
  return client
}

/** Says hello as a client of a session does. */
export const hello = async (client: Client, capabilities: object = {}, version = "2025-11-25"): Promise<Message> => {
  const answer = await client.ask("initialize", {
    protocolVersion: version,
    capabilities,
    clientInfo: { name: "test", version: "1" }
  })
  client.tell("notifications/initialized")
  return answer
}

/** The command `toolguard mcp proxy`, before a server's. */
export const proxied = (flags: ReadonlyArray<string>, server: ReadonlyArray<string>): ReadonlyArray<string> => [
  process.execPath,
  join(root, "kit/cli/main.ts"),
  "mcp",
  "proxy",
  ...flags,
  "--",
  ...server
]

/** The hostile server, in one of its ways. */
export const hostile = (behaviour: string): ReadonlyArray<string> => [
  process.execPath,
  join(root, "test/hostile/mcp/server.ts"),
  behaviour
]
