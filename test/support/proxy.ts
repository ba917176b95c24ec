/** A TCP proxy in front of a server. It simulates a server that becomes unreachable, hangs, or loses an answer. */
import { Effect, type Scope } from "effect"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface Proxy {
  readonly port: number
  /** The server's URL with the host and port of the proxy. */
  readonly url: string
  /** Breaks all connections and refuses new connections. */
  readonly cut: () => void
  /** Breaks each open connection at its next request, as a server that has restarted. */
  readonly breakLater: () => void
  /** Accepts connections and bytes but forwards nothing, like a server that hangs. */
  readonly hang: () => void
  /** Breaks all connections instead of forwarding the next answer that contains the text. The server has executed that request. */
  readonly lose: (text: string) => void
  /** Answers the next request that contains the text instead of forwarding it. */
  readonly answer: (text: string, answer: string) => void
  /** Whether the last `answer` was sent. */
  readonly hasAnswered: () => boolean
  /** Forwards everything again. */
  readonly restore: () => void
}

const defaultPorts: Readonly<Record<string, number>> = { "postgres:": 5432, "postgresql:": 5432, "redis:": 6379 }

/** Starts a proxy of the server at an address, on a free port of this machine. */
export const proxyTo = (address: string): Effect.Effect<Proxy, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Proxy & { readonly close: () => void }>((resolve) => {
          let state: "open" | "cut" | "hanging" = "open"
          let lost: string | undefined
          let answered: readonly [text: string, answer: string] | undefined
          const { hostname, port, protocol } = new URL(address)
          const sockets = new Set<Socket>()
          let broken: ReadonlySet<Socket> = new Set()
          const server = createServer((client) => {
            if (state === "cut") return void client.destroy()
            const upstream = connect(Number(port) || (defaultPorts[protocol] ?? 0), hostname)
            for (const [from, to] of [
              [client, upstream],
              [upstream, client]
            ] as const) {
              sockets.add(from)
              from.on("data", (bytes: Buffer) => {
                if (broken.has(from) && from === client) client.destroy()
                else if (from === upstream && lost !== undefined && bytes.includes(lost)) {
                  lost = undefined
                  drop()
                } else if (from === client && answered !== undefined && bytes.includes(answered[0])) {
                  client.write(answered[1])
                  answered = undefined
                } else if (state !== "hanging") to.write(bytes)
              })
              from.on("error", () => to.destroy())
              from.on("close", () => {
                sockets.delete(from)
                to.destroy()
              })
            }
          })
          const drop = () => sockets.forEach((socket) => socket.destroy())
          server.listen(0, "127.0.0.1", () => {
            const own = new URL(address)
            const port = (server.address() as AddressInfo).port
            own.hostname = "127.0.0.1"
            own.port = `${port}`
            resolve({
              port,
              url: own.href,
              cut: () => {
                state = "cut"
                drop()
              },
              breakLater: () => {
                broken = new Set(sockets)
              },
              hang: () => {
                state = "hanging"
              },
              lose: (text) => {
                lost = text
              },
              answer: (text, answer) => {
                answered = [text, answer]
              },
              hasAnswered: () => answered === undefined,
              restore: () => {
                if (state === "hanging") drop() // bytes that arrived in the meantime are lost
                state = "open"
              },
              close: () => {
                drop()
                server.close()
              }
            })
          })
        })
    ),
    ({ close }) => Effect.sync(close)
  )
