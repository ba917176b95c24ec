/** A server outside of the stopped processes that counts payments and delays its answers. */
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** Counts the payments, and answers each when it is told to. */
export const startBank = async () => {
  const open: Array<ServerResponse> = []
  let payments = 0
  let onPayment = () => {}
  const server = createServer((_, response) => {
    payments += 1
    open.push(response)
    onPayment()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    payments: () => payments,
    first: new Promise<void>((resolve) => (onPayment = resolve)),
    answer: () => open.forEach((response) => response.end(String(payments))),
    close: () => void server.close()
  }
}
