/** A TCP proxy in front of a server on this machine: cut it, and the server has gone away in the middle of a run. */
import { Effect, type Scope } from "effect"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface Proxy {
  readonly port: number
  /** Breaks every connection and takes no more. */
  readonly cut: () => void
  /** Takes connections and bytes, and passes nothing on: a server that hangs. */
  readonly hang: () => void
  /** Breaks every connection in place of the next answer that holds the text: what it says was done. */
  readonly lose: (text: string) => void
  readonly restore: () => void
}

export const proxyTo = (target: number): Effect.Effect<Proxy, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Proxy & { readonly close: () => void }>((resolve) => {
          let state: "open" | "cut" | "hanging" = "open"
          let lost: string | undefined
          const sockets = new Set<Socket>()
          const server = createServer((client) => {
            if (state === "cut") return void client.destroy()
            const upstream = connect(target, "127.0.0.1")
            for (const [from, to] of [
              [client, upstream],
              [upstream, client]
            ] as const) {
              sockets.add(from)
              from.on("data", (bytes: Buffer) => {
                if (from === upstream && lost !== undefined && bytes.includes(lost)) {
                  lost = undefined
                  drop()
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
          server.listen(0, "127.0.0.1", () =>
            resolve({
              port: (server.address() as AddressInfo).port,
              cut: () => {
                state = "cut"
                drop()
              },
              hang: () => {
                state = "hanging"
              },
              lose: (text) => {
                lost = text
              },
              restore: () => {
                if (state === "hanging") drop() // bytes were lost in between
                state = "open"
              },
              close: () => {
                drop()
                server.close()
              }
            })
          )
        })
    ),
    ({ close }) => Effect.sync(close)
  )
