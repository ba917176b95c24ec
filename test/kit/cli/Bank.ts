/** A payment server for tests that stop processes. It runs outside of these processes. */
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** Starts a server that counts payments and delays its answers. */
export const startBank = async () => {
  const open: Array<ServerResponse> = []
  let isAnswering = false
  let payments = 0
  let onPayment = () => {}
  const server = createServer((_, response) => {
    payments += 1
    if (isAnswering) response.end(String(payments))
    else open.push(response)
    onPayment()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    payments: () => payments,
    first: new Promise<void>((resolve) => (onPayment = resolve)),
    /** Sends the delayed answers, and answers immediately from now on. */
    answer: () => {
      isAnswering = true
      for (const response of open.splice(0)) response.end(String(payments))
    },
    close: () => void server.close()
  }
}
