/**
 * The hostile upstream, in a separate process: `node server.ts` prints its port and serves until its standard input ends.
 *
 * `/do/NAME` runs the behaviour NAME. `/connections` returns the number of open connections other than its own.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { behaviours } from "./behaviours.ts"

let connections = 0
const server = createServer((request, response) => {
  response.on("error", () => {})
  if (request.url === "/connections") {
    response.setHeader("connection", "close")
    response.end(`${connections - 1}`)
    return
  }
  const behaviour = behaviours[(request.url ?? "").split("/")[2] ?? ""]
  request.resume()
  request.on("end", () => {
    if (behaviour === undefined) response.writeHead(418).end()
    else Promise.resolve(behaviour(request, response)).catch(() => response.destroy())
  })
})
server.on("connection", (socket) => {
  connections += 1
  socket.on("error", () => {})
  socket.on("close", () => {
    connections -= 1
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
process.stdin.resume()
process.stdin.on("end", () => process.exit(0))
