/** A client that writes what it is told to, over stdio or HTTP, and keeps every message that it got. */
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { endWithTest } from "../support/children.ts"
import { root } from "../support/sources.ts"

export type Message = Readonly<Record<string, any>>

interface Received {
  readonly messages: Array<Message>
  readonly arrived: (message: Message) => void
  /** Waits for a message. */
  readonly until: (isIt: (message: Message) => boolean) => Promise<Message>
}

const received = (): Received => {
  const messages: Array<Message> = []
  const waiting = new Set<() => void>()
  return {
    messages,
    arrived: (message) => {
      messages.push(message)
      for (const look of waiting) look()
    },
    until: (isIt) =>
      new Promise((resolve) => {
        const look = () => {
          const found = messages.find(isIt)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      })
  }
}

export interface Served {
  readonly child: ChildProcess
  /** Waits for a text on standard error or, over HTTP, on standard output. */
  readonly said: (text: string) => Promise<string>
  readonly ended: Promise<number | null>
}

/** Starts `toolguard mcp serve` with the desk, or another backend of this folder. */
export const start = (
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {},
  backend = "deskBackend"
): Served => {
  const command = [join(root, "kit/cli/main.ts"), "mcp", "serve", join(root, `test/mcp/${backend}.ts`), ...args]
  const child = endWithTest(
    spawn(process.execPath, command, { cwd: root, env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] })
  )
  let text = ""
  const waiting = new Set<() => void>()
  const hear = (chunk: string) => {
    text += chunk
    for (const look of waiting) look()
  }
  child.stderr.setEncoding("utf8").on("data", hear)
  if (args.includes("--http")) child.stdout.setEncoding("utf8").on("data", hear)
  return {
    child,
    said: (wanted) =>
      new Promise((resolve) => {
        const look = () => {
          if (!text.includes(wanted)) return
          waiting.delete(look)
          resolve(text)
        }
        waiting.add(look)
        look()
      }),
    ended: new Promise((resolve) => child.on("close", resolve))
  }
}

export interface Client extends Received {
  readonly write: (message: Message | string) => void
  readonly close: () => void
}

/** What is no message is kept as one that nobody asked for. */
const messageOf = (line: string): Message => {
  try {
    return JSON.parse(line) as Message
  } catch {
    return { line }
  }
}

/** Speaks over the standard streams of a server. */
export const overStdio = ({ child }: Served): Client => {
  const all = received()
  let rest = ""
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) all.arrived(messageOf(line))
  })
  return {
    ...all,
    write: (message) => void child.stdin?.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`),
    close: () => void child.stdin?.end()
  }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
}

export interface HttpClient extends Received {
  /** Sends a message; ends when its response has ended. */
  readonly post: (
    message: Message | string,
    headers?: Readonly<Record<string, string>>,
    signal?: AbortSignal
  ) => Promise<Answer>
}

/** Speaks over HTTP. Once a session is given it is sent along. */
export const overHttp = (url: string, always: Readonly<Record<string, string>> = {}): HttpClient => {
  const all = received()
  let session: Readonly<Record<string, string>> = {}
  return {
    ...all,
    post: async (message, headers = {}, signal) => {
      const response = await fetch(url, {
        method: "POST",
        body: typeof message === "string" ? message : JSON.stringify(message),
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...always,
          ...session,
          ...headers
        },
        ...(signal === undefined ? {} : { signal })
      })
      const id = response.headers.get("mcp-session-id")
      if (id !== null) session = { "mcp-session-id": id }
      const isEvents = (response.headers.get("content-type") ?? "").startsWith("text/event-stream")
      let rest = ""
      const decoder = new TextDecoder()
      for await (const chunk of response.body ?? []) {
        rest += decoder.decode(chunk, { stream: true })
        if (!isEvents) continue
        const events = rest.split("\n\n")
        rest = events.pop() ?? ""
        for (const event of events) if (event.startsWith("data: ")) all.arrived(JSON.parse(event.slice(6)))
      }
      if (!isEvents && rest.trimStart().startsWith("{")) all.arrived(JSON.parse(rest))
      return { status: response.status, headers: response.headers }
    }
  }
}
