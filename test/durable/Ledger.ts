/** A service over HTTP that counts its effects, and can keep an answer back after its effect was done. */
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Ledger {
  readonly url: string
  /** How often the effect of an action was done. */
  readonly effects: (action: string) => number
  /** Requests for an action, those included that repeated a key. */
  readonly requests: (action: string) => number
  /** Keeps back the answers of an action from now on; waits until one is kept back. */
  readonly hold: (action: string) => Promise<void>
  /** Answers what is kept back, and holds nothing more. */
  readonly release: () => void
  /** What was posted to `/asked`, oldest first; waits for the next one. */
  readonly asked: () => Promise<any>
  /** The process that wrote last, by its `x-process`. */
  readonly lastCaller: () => number
  readonly close: () => void
}

export const start = async (): Promise<Ledger> => {
  const effects = new Map<string, number>()
  const requests = new Map<string, number>()
  const keys = new Set<string>()
  const held = new Map<string, () => void>()
  const kept: Array<() => void> = []
  const asked: Array<any> = []
  let lastCaller = 0
  const waiting: Array<(value: any) => void> = []
  const count = (map: Map<string, number>, action: string) => map.set(action, (map.get(action) ?? 0) + 1)
  const server = createServer(async (request, response) => {
    const [, kind = "", action = ""] = (request.url ?? "").split("/")
    let body = ""
    for await (const chunk of request) body += String(chunk)
    if (kind === "asked") {
      const next = waiting.shift()
      if (next === undefined) asked.push(JSON.parse(body))
      else next(JSON.parse(body))
      return answer(response, {})
    }
    if (kind === "write") lastCaller = Number(request.headers["x-process"])
    count(requests, action)
    const key = request.headers["idempotency-key"]
    if (kind === "write" && !(typeof key === "string" && keys.has(key))) count(effects, action)
    if (kind === "write" && typeof key === "string") keys.add(key)
    const reached = held.get(action)
    const go = () => answer(response, { n: effects.get(action) ?? 0 })
    if (reached === undefined) return go()
    kept.push(go)
    reached()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    effects: (action) => effects.get(action) ?? 0,
    requests: (action) => requests.get(action) ?? 0,
    hold: (action) => new Promise((resolve) => held.set(action, resolve)),
    release: () => {
      held.clear()
      for (const go of kept.splice(0)) go()
    },
    asked: () => (asked.length > 0 ? Promise.resolve(asked.shift()) : new Promise((resolve) => waiting.push(resolve))),
    lastCaller: () => lastCaller,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

const answer = (response: ServerResponse, value: unknown) => {
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify(value))
}
