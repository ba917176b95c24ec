/**
 * An HTTP server that bounds what its clients can hold: connections, requests in progress, bytes of bodies, and time.
 *
 * **Details**
 *
 * - Beyond the maximum number of connections, the oldest connection without a complete request is closed, so that clients
 *   that connect and send nothing, or send slowly, do not keep others out. If every connection has a complete request in
 *   progress, the new connection gets 503.
 * - Beyond the maximum number of requests in progress, or 16 on one connection (pipelining), a request gets 503 before any
 *   listener receives it.
 * - Bytes of bodies count from their arrival until the request is answered. Beyond the maximum, the largest body that is
 *   still arriving is refused with 503.
 * - A request that is not received in time gets 408; headers that are too large get 431; an invalid request gets 400.
 *
 * **Gotchas**
 *
 * The limits apply to all clients together: programs of one machine have the same address.
 */
import { IncomingMessage, Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"

/** The body of a refusal. */
interface Refusal {
  readonly contentType: string
  readonly body: string
}

export interface Bounds {
  /** The maximum number of requests in progress. Default 1,000. */
  readonly maxRequests?: number
  /** The maximum number of open connections. Default 1,000. */
  readonly maxConnections?: number
  /** The maximum number of bytes of the bodies of all requests in progress. Default 64 MiB. */
  readonly maxBodyBytes?: number
  /** The time in which a client must send its whole request. Default 30 seconds. */
  readonly requestMillis?: number
  /** Writes the body of a refusal. Default: JSON with the sentence as `error`. */
  readonly write?: (status: number, sentence: string) => Refusal
}

/** The maximum number of requests in progress on one connection. */
const maxPipelined = 16

/** The time in which a client must send the headers of its request, in milliseconds. */
const headersMillis = 10_000

/** The time after which a refused connection is closed even if the client has not read the refusal, in milliseconds. */
const closingMillis = 1_000

const json = (_: number, error: string): Refusal => ({
  contentType: "application/json",
  body: JSON.stringify({ error })
})

/** The state of an open connection. */
interface Connection {
  /** Its requests in progress, with their responses. */
  readonly requests: Map<IncomingMessage, ServerResponse>
  isRefused: boolean
}

class BoundedServer extends Server {
  readonly #open = new Map<Socket, Connection>()
  readonly #bounds: Required<Bounds>
  #requests = 0

  constructor(bounds: Required<Bounds>, message: typeof IncomingMessage) {
    super({
      IncomingMessage: message,
      // a request without `Host` reaches the check of the host, which refuses it with a sentence
      requireHostHeader: false,
      requestTimeout: bounds.requestMillis,
      headersTimeout: Math.min(headersMillis, bounds.requestMillis),
      connectionsCheckingInterval: Math.min(1_000, bounds.requestMillis)
    })
    this.#bounds = bounds
    // connections that are being refused are open for a short time
    this.maxConnections = bounds.maxConnections * 2
    this.on("connection", (socket) => this.#connect(socket))
    this.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => this.#refuseInvalid(error, socket))
  }

  /** Refuses requests beyond the limits before any listener receives them. */
  override emit(event: string, ...args: ReadonlyArray<unknown>): boolean {
    if (event !== "request") return super.emit(event, ...args)
    const [request, response] = args as [IncomingMessage, ServerResponse]
    const connection = this.#open.get(request.socket)
    const excess =
      connection !== undefined && connection.requests.size >= maxPipelined
        ? `More than ${maxPipelined} requests of this connection are in progress. Wait for their answers.`
        : this.#requests >= this.#bounds.maxRequests
          ? `More than ${this.#bounds.maxRequests} requests are in progress. Send this request again later.`
          : undefined
    if (excess !== undefined) return this.#answer(request, response, 503, excess)
    this.#requests += 1
    connection?.requests.set(request, response)
    response.once("close", () => {
      this.#requests -= 1
      connection?.requests.delete(request)
    })
    return super.emit(event, request, response)
  }

  #connect(socket: Socket): void {
    const connection: Connection = { requests: new Map(), isRefused: false }
    this.#open.set(socket, connection)
    socket.once("close", () => this.#open.delete(socket))
    if (this.#open.size <= this.#bounds.maxConnections) return
    for (const [other, { isRefused, requests }] of this.#open) {
      if (isRefused || other === socket || [...requests.keys()].some((request) => request.complete)) continue
      return this.refuse(
        other,
        408,
        "The connection was closed for other clients, because its request was not complete."
      )
    }
    this.refuse(socket, 503, `More than ${this.#bounds.maxConnections} connections are open. Connect again later.`)
  }

  #refuseInvalid({ code }: NodeJS.ErrnoException, socket: Socket): void {
    if (code === "HPE_HEADER_OVERFLOW") return this.refuse(socket, 431, "The headers are larger than 16 KiB.")
    if (code === "ERR_HTTP_REQUEST_TIMEOUT")
      return this.refuse(
        socket,
        408,
        `The request did not arrive within ${this.#bounds.requestMillis / 1_000} seconds, or its headers within ${headersMillis / 1_000}.`
      )
    if (code === "ECONNRESET" || !socket.writable) return void socket.destroy()
    this.refuse(socket, 400, "The request is not valid HTTP/1.1.")
  }

  #answer(request: IncomingMessage, response: ServerResponse, status: number, sentence: string): true {
    const { body, contentType } = this.#bounds.write(status, sentence)
    const { headers } = request
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0
    response.writeHead(status, {
      "content-type": contentType,
      "content-length": Buffer.byteLength(body),
      "retry-after": "1",
      // closing while a body arrives would reset the connection, and the client could not read the refusal
      ...(hasBody ? {} : { connection: "close" })
    })
    response.end(body)
    return true
  }

  /** Refuses what a connection sends, and closes the connection. */
  refuse(socket: Socket, status: number, sentence: string): void {
    const connection = this.#open.get(socket)
    if (connection?.isRefused === true || socket.destroyed) return
    if (connection !== undefined) connection.isRefused = true
    const isStarted = [...(connection?.requests.values() ?? [])].some((response) => response.headersSent)
    // a refusal after the start of a response would be read as a part of the response
    if (isStarted || !socket.writable) return void socket.destroy()
    const { body, contentType } = this.#bounds.write(status, sentence)
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `content-type: ${contentType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      ...(status === 503 ? ["retry-after: 1"] : []),
      "connection: close"
    ]
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`)
    // destroying the socket immediately would reset the connection, and the client could not read the refusal
    // @effect-diagnostics-next-line globalTimers:off -- no Effect runs here
    setTimeout(() => socket.destroy(), closingMillis).unref()
  }
}

/** Creates a server with bounds. */
export const make = ({
  maxBodyBytes = 64 * 1024 * 1024,
  maxConnections = 1_000,
  maxRequests = 1_000,
  requestMillis = 30_000,
  write = json
}: Bounds = {}): Server => {
  /** The bytes of the body of each request in progress. */
  const held = new Map<IncomingMessage, number>()
  /** Messages whose remaining body is discarded, because they were refused. */
  const refused = new WeakSet<IncomingMessage>()
  let total = 0
  const release = (message: IncomingMessage): void => {
    total -= held.get(message) ?? 0
    held.delete(message)
  }
  const refuseLargest = (): void => {
    let [largest, most]: [IncomingMessage | undefined, number] = [undefined, -1]
    for (const [message, bytes] of held) if (!message.complete && bytes > most) [largest, most] = [message, bytes]
    if (largest === undefined) return
    release(largest)
    refused.add(largest)
    server.refuse(largest.socket, 503, "Too many large requests are in progress. Send this request again later.")
  }
  class BoundedMessage extends IncomingMessage {
    override push(chunk: unknown, encoding?: BufferEncoding): boolean {
      const bytes = held.get(this)
      // null ends the body
      if (chunk !== null && bytes !== undefined) {
        const { length } = chunk as Buffer
        held.set(this, bytes + length)
        total += length
        if (total > maxBodyBytes) refuseLargest()
      }
      return chunk !== null && refused.has(this) ? true : super.push(chunk, encoding)
    }
  }
  const server = new BoundedServer({ maxBodyBytes, maxConnections, maxRequests, requestMillis, write }, BoundedMessage)
  server.prependListener("request", (request, response) => {
    held.set(request, 0)
    response.once("close", () => release(request))
  })
  return server
}
