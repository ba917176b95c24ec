/** A minimal MCP client without a library. It records every received message and can send arbitrary text. */
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { endWithTest } from "./children.ts"
import { root } from "./sources.ts"

export type Message = Record<string, any>

export interface Client {
  /** Sends a request and waits for its response. */
  readonly ask: (method: string, params?: object, id?: string | number) => Promise<Message>
  /** Sends a notification. */
  readonly tell: (method: string, params?: object) => void
  /** Sends a line of text unchanged. */
  readonly write: (text: string) => void
  /** Calls a tool and returns its result or the error. */
  readonly call: (name: string, args?: object, more?: object) => Promise<Message>
  /** Calls a tool and returns the envelope in the first text of its result. */
  readonly envelope: (name: string, args?: object) => Promise<Message>
  /** All received messages, in order. */
  readonly received: ReadonlyArray<Message>
  /** All received lines, in order. */
  readonly lines: ReadonlyArray<string>
  readonly stderr: () => string
  /** Answers requests of the server. Default: no answer. */
  onRequest: (request: Message) => Message | undefined
  /** Returns the first message that matches, and waits for it if necessary. */
  readonly wait: (which: (message: Message) => boolean) => Promise<Message>
  /** Closes the input of the process and waits for its exit code. */
  readonly end: () => Promise<number | null>
  readonly exit: Promise<number | null>
  readonly process: ChildProcess
}

/** Starts a program and connects to its input and output. */
export const start = (
  command: ReadonlyArray<string>,
  options: { readonly env?: Readonly<Record<string, string>> } = {}
): Client => {
  const [program = "", ...args] = command
  const child = endWithTest(
    spawn(program, args, { cwd: root, stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...options.env } })
  )
  const received: Array<Message> = []
  const lines: Array<string> = []
  const waiting = new Set<() => void>()
  let ids = 0
  let partialLine = ""
  let errors = ""
  child.stdin.on("error", () => {})
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text
  })
  const write = (text: string) => void child.stdin.write(`${text}\n`)
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (partialLine + chunk).split("\n")
    partialLine = parts.pop() ?? ""
    for (const line of parts) {
      const message = JSON.parse(line) as Message
      lines.push(line)
      received.push(message)
      if (message["method"] !== undefined && message["id"] !== undefined) {
        const answer = client.onRequest(message)
        if (answer !== undefined) write(JSON.stringify({ jsonrpc: "2.0", id: message["id"], ...answer }))
      }
    }
    for (const check of waiting) check()
  })
  // output can arrive after the exit, until the streams are closed
  let isClosed = false
  const exit = new Promise<number | null>((resolve) => {
    child.on("close", (code) => {
      isClosed = true
      resolve(code)
      for (const check of waiting) check()
    })
  })
  const wait: Client["wait"] = (which) =>
    new Promise((resolve, reject) => {
      const check = () => {
        const found = received.find(which)
        if (found === undefined && !isClosed) return
        waiting.delete(check)
        if (found === undefined) reject(new Error(`The process has exited: ${errors.slice(-500)}`))
        else resolve(found)
      }
      waiting.add(check)
      check()
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
    received,
    lines,
    stderr: () => errors,
    onRequest: () => undefined,
    wait,
    end: () => {
      child.stdin.end()
      // kills a process that does not exit, which gives the test the exit code null
      const killing = setTimeout(() => child.kill("SIGKILL"), 10_000)
      return exit.finally(() => clearTimeout(killing))
    },
    exit,
    process: child
  }
  return client
}

/** Initialises a session. */
export const hello = async (client: Client, capabilities: object = {}, version = "2025-11-25"): Promise<Message> => {
  const answer = await client.ask("initialize", {
    protocolVersion: version,
    capabilities,
    clientInfo: { name: "test", version: "1" }
  })
  client.tell("notifications/initialized")
  return answer
}

/** Returns the command of the hostile server with one of its behaviours. */
export const hostile = (behaviour: string): ReadonlyArray<string> => [
  process.execPath,
  join(root, "test/hostile/mcp/server.ts"),
  behaviour
]
