/**
 * A bank over HTTP: `POST /transfers/NAME` with an `Idempotency-Key` moves money once per key, and answers with a
 * delay. The bank counts how often each transfer was requested and done.
 */
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Transfer {
  /** How often the money was moved. */
  done: number
  /** The processes that requested the transfer, one entry per request. */
  readonly requestedBy: Array<number>
}

export interface Bank {
  readonly url: string
  readonly transfers: ReadonlyMap<string, Transfer>
  /**
   * Resolves with the process that makes the next request for a transfer, after the money has moved and before the bank
   * answers.
   */
  readonly nextRequest: (name: string) => Promise<number>
}

const answerMillis = 400

const answer = (response: ServerResponse, value: object) => {
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify(value))
}

const open = async (): Promise<Bank & { readonly close: () => void }> => {
  const transfers = new Map<string, Transfer>()
  const keys = new Set<string>()
  const watched = new Map<string, (pid: number) => void>()
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url?.split("/").at(-1) ?? "")
    const transfer = transfers.get(name) ?? { done: 0, requestedBy: [] }
    transfers.set(name, transfer)
    const pid = Number(request.headers["x-process"])
    const key = String(request.headers["idempotency-key"])
    transfer.requestedBy.push(pid)
    if (!keys.has(key)) transfer.done += 1
    keys.add(key)
    const notify = watched.get(name)
    watched.delete(name)
    notify?.(pid)
    setTimeout(() => answer(response, { reference: `T-${key.slice(-6)}` }), answerMillis)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    // a listening TCP server has an AddressInfo
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    transfers,
    nextRequest: (name) => new Promise((resolve) => watched.set(name, resolve)),
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** Opens the bank until the scope closes. */
export const start: Effect.Effect<Bank, never, Scope.Scope> = Effect.acquireRelease(Effect.promise(open), ({ close }) =>
  Effect.sync(close)
)
