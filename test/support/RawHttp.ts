/** A client that writes the bytes of HTTP requests itself, so that tests can send what other clients refuse to send. */
import { connect, type Socket } from "node:net"
import { onTestFinished } from "vitest"

/** The answer to the first request of a connection. `status` is undefined if the connection was closed without an answer. */
export interface Answer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Headers by name. `undefined` omits a header, and a list repeats it. */
export type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** A connection to a server on this machine. */
export interface Connection {
  readonly socket: Socket
  readonly write: (bytes: string | Buffer) => void
  /** The text that was received so far. */
  readonly received: () => string
  /** Resolves when the connection is closed. */
  readonly closed: Promise<Answer>
  /** Resolves with the first complete answer, or when the connection is closed. */
  readonly answer: Promise<Answer>
}

const parse = (text: string): Answer => {
  const [head = "", ...rest] = text.split("\r\n\r\n")
  const [first = "", ...lines] = head.split("\r\n")
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()])
  )
  const status = /^HTTP\/1\.1 (\d{3})/u.exec(first)?.[1]
  return { status: status === undefined ? undefined : Number(status), headers, text: rest.join("\r\n\r\n") }
}

/**
 * Returns a function that takes the parts of an answer in order, and returns whether the answer is complete. It keeps no body,
 * because an answer may have a thousand parts.
 */
const completion = (): ((part: string) => boolean) => {
  let head = ""
  let answer: Answer | undefined
  let received = 0
  let end = ""
  return (part) => {
    if (answer === undefined) {
      head += part
      if (!head.includes("\r\n\r\n")) return false
      answer = parse(head)
      part = answer.text
    }
    received += part.length
    end = (end + part).slice(-5)
    const { headers, status } = answer
    if (status === undefined) return false
    const length = headers["content-length"]
    if (length !== undefined) return received >= Number(length)
    return headers["transfer-encoding"] === "chunked" ? end === "0\r\n\r\n" : status === 204 || status === 202
  }
}

/** Opens a connection. It is closed at the end of the test. */
export const open = (port: number, localAddress = "127.0.0.1"): Connection => {
  const socket = connect({ port, host: "127.0.0.1", localAddress })
  onTestFinished(() => void socket.destroy())
  const isComplete = completion()
  let text = ""
  socket.on("error", () => {})
  const closed = new Promise<Answer>((resolve) => socket.on("close", () => resolve(parse(text))))
  const complete = new Promise<Answer>((resolve) =>
    socket.on("data", (chunk) => {
      const part = chunk.toString("latin1")
      text += part
      if (isComplete(part)) resolve(parse(text))
    })
  )
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    received: () => text,
    closed,
    answer: Promise.race([closed, complete])
  }
}

/** Returns the head of a request. */
export const head = (method: string, path: string, headers: Headers): string => {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((each) => `${name}: ${each}`)
  )
  return `${[`${method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`
}

/** A request without its method and path. */
interface RequestContent {
  readonly headers?: Headers
  readonly body?: string | Buffer
}

/** The size in bytes above which a body is not sent at once. */
const largeBody = 65_536

/**
 * Sends one request on a new connection, and returns the answer. If a server closes the connection while a large body
 * arrives, the system may drop the answer. The request is then sent again, at most twice.
 */
export const send = async (port: number, method: string, path: string, sent: RequestContent = {}): Promise<Answer> => {
  for (let left = (sent.body?.length ?? 0) > largeBody ? 2 : 0; left > 0; left -= 1) {
    const answer = await sendOnce(port, method, path, sent)
    if (answer.status !== undefined) return answer
  }
  return sendOnce(port, method, path, sent)
}

const sendOnce = async (
  port: number,
  method: string,
  path: string,
  { body = "", headers = {} }: RequestContent
): Promise<Answer> => {
  const connection = open(port)
  const isFramed = "content-length" in headers || "transfer-encoding" in headers
  const framed =
    isFramed || (method === "GET" && body.length === 0) ? {} : { "content-length": `${Buffer.byteLength(body)}` }
  connection.write(head(method, path, { host: "127.0.0.1", ...framed, ...headers }))
  if (body.length > 0) connection.write(body)
  const answer = await connection.answer
  connection.socket.destroy()
  return answer
}

/** Frames pieces of a body as chunks. */
export const chunked = (pieces: ReadonlyArray<string>): string =>
  `${pieces.map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`).join("")}0\r\n\r\n`
