/** Clients that send the given messages over stdio or HTTP and keep every message that they receive. */
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { endWithTest } from "../support/children.ts"
import { commandLine } from "../support/command.ts"
import { root } from "../support/sources.ts"

export type Message = Readonly<Record<string, any>>

interface ReceivedMessages {
  readonly messages: Array<Message>
  readonly arrived: (message: Message) => void
  /** Waits for a message that matches. */
  readonly until: (matches: (message: Message) => boolean) => Promise<Message>
}

const received = (): ReceivedMessages => {
  const messages: Array<Message> = []
  const waiting = new Set<() => void>()
  return {
    messages,
    arrived: (message) => {
      messages.push(message)
      for (const check of waiting) check()
    },
    until: (matches) =>
      new Promise((resolve) => {
        const check = () => {
          const found = messages.find(matches)
          if (found === undefined) return
          waiting.delete(check)
          resolve(found)
        }
        waiting.add(check)
        check()
      })
  }
}

export interface ServedProcess {
  readonly child: ChildProcess
  /** Waits for a text on standard error and, over HTTP, on standard output. Returns the output until then. */
  readonly output: (text: string) => Promise<string>
  readonly ended: Promise<number | null>
}

/** Starts `toolguard mcp serve` with a backend of this folder. */
export const start = (
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {},
  backend = "deskBackend"
): ServedProcess => {
  const command = commandLine(["mcp", "serve", join(root, `test/mcp/${backend}.ts`), ...args])
  const child = endWithTest(
    spawn(process.execPath, command, { cwd: root, env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] })
  )
  let text = ""
  const waiting = new Set<() => void>()
  const append = (chunk: string) => {
    text += chunk
    for (const check of waiting) check()
  }
  child.stderr.setEncoding("utf8").on("data", append)
  if (args.includes("--http")) child.stdout.setEncoding("utf8").on("data", append)
  return {
    child,
    output: (wanted) =>
      new Promise((resolve) => {
        const check = () => {
          if (!text.includes(wanted)) return
          waiting.delete(check)
          resolve(text)
        }
        waiting.add(check)
        check()
      }),
    ended: new Promise((resolve) => child.on("close", resolve))
  }
}

export interface Client extends ReceivedMessages {
  readonly write: (message: Message | string) => void
  readonly close: () => void
}

/** Parses a line. A line that is not JSON becomes an object that is not a message. */
const messageOf = (line: string): Message => {
  try {
    return JSON.parse(line) as Message
  } catch {
    return { line }
  }
}

/** Connects to a server over its standard streams. */
export const overStdio = ({ child }: ServedProcess): Client => {
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

export interface HttpClient extends ReceivedMessages {
  /** Sends a message and waits for the end of its response. */
  readonly post: (
    message: Message | string,
    headers?: Readonly<Record<string, string>>,
    signal?: AbortSignal
  ) => Promise<Answer>
}

/** Connects to a server over HTTP. Sends the session id of the server in later requests. */
export const overHttp = (url: string, fixedHeaders: Readonly<Record<string, string>> = {}): HttpClient => {
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
          ...fixedHeaders,
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
