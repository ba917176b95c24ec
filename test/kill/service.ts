/**
 * An HTTP service that counts effects: `POST /effects/RUN/ID` executes an effect, and `GET /effects/RUN/ID` returns
 * whether the effect happened. With `?honours`, a request that repeats an `idempotency-key` executes nothing.
 */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

export interface Service {
  readonly url: string
  /** How often an effect happened. */
  readonly count: (run: string, id: string) => number
  readonly close: () => Promise<void>
}

export const start = (): Promise<Service> => {
  const counts = new Map<string, number>()
  const keys = new Set<string>()
  const server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://service")
    const answer = (body: object) => {
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify(body))
    }
    if (request.method === "GET") {
      answer({ done: (counts.get(pathname) ?? 0) > 0 })
      return
    }
    request.resume()
    request.on("end", () => {
      const key = String(request.headers["idempotency-key"] ?? "")
      const isKnown = searchParams.has("honours") && key !== "" && keys.has(key)
      if (!isKnown) counts.set(pathname, (counts.get(pathname) ?? 0) + 1)
      keys.add(key)
      const victim = Number(request.headers["x-kill"] ?? 0)
      if (victim > 0) process.kill(victim, "SIGKILL")
      answer({ done: true })
    })
  })
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        count: (run, id) => counts.get(`/effects/${run}/${id}`) ?? 0,
        close: () =>
          new Promise((closed) => {
            server.closeAllConnections()
            server.close(() => closed())
          })
      })
    })
  })
}
