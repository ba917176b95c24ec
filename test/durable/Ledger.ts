/** An HTTP service that counts its effects and can delay a response until after its effect. */
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Ledger {
  readonly url: string
  /** How often the effect of an action happened. */
  readonly effects: (action: string) => number
  /** The number of requests for an action, including those that repeated a key. */
  readonly requests: (action: string) => number
  /** Delays all further responses to an action. Resolves when the first response is delayed. */
  readonly hold: (action: string) => Promise<void>
  /** Sends the delayed responses and stops delaying. */
  readonly release: () => void
  /** Takes the oldest body that was posted to `/asked`, or waits for a body. */
  readonly asked: () => Promise<any>
  /** The process of the last write, from its `x-process` header. */
  readonly lastCaller: () => number
  readonly close: () => void
}

export const start = async (): Promise<Ledger> => {
  const effects = new Map<string, number>()
  const requests = new Map<string, number>()
  const keys = new Set<string>()
  const holds = new Map<string, () => void>()
  const delayed: Array<() => void> = []
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
    const reached = holds.get(action)
    const send = () => answer(response, { n: effects.get(action) ?? 0 })
    if (reached === undefined) return send()
    delayed.push(send)
    reached()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    effects: (action) => effects.get(action) ?? 0,
    requests: (action) => requests.get(action) ?? 0,
    hold: (action) => new Promise((resolve) => holds.set(action, resolve)),
    release: () => {
      holds.clear()
      for (const send of delayed.splice(0)) send()
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
