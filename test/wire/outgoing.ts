/** Attacks with other machines and other processes: open ports, variables, servers that flood, and plaintext. */
import { assert } from "@effect/vitest"
import * as Postgres from "#layers/Postgres"
import * as RedisNode from "#layers/RedisNode"
import { Effect, Redacted } from "effect"
import { Redis } from "effect/persistence"
import { SqlClient } from "effect/sql"
import { type AddressInfo, connect, createServer } from "node:net"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { proxied } from "../support/command.ts"
import { hello, start } from "../support/McpClient.ts"
import { root } from "../support/sources.ts"
import { recordingServer } from "./load.ts"
import type { Attack } from "./requests.ts"
import * as Surfaces from "./surfaces.ts"

/** Returns whether a port accepts a connection under another address of this machine. */
const reaches = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.2" })
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false))
    onTestFinished(() => void socket.destroy())
  })

export const otherMachines: Attack = {
  closed: async () => {
    for (const args of [Surfaces.mcpServe, Surfaces.mcpProxy(), Surfaces.openapiServe])
      assert.isFalse(await reaches((await Surfaces.command(args)).port), args.join(" "))
    assert.isFalse(await reaches((await Surfaces.inbox()).port))
  },
  opened: async () => assert.isTrue(await reaches((await Surfaces.inbox({ host: "0.0.0.0" })).port))
}

/** Returns the names of the variables that a server of the proxy gets. */
const variables = async (flags: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { lines, server } = recordingServer()
  const client = start(proxied(flags, server), { env: { MY_KEY: "k", TOOLGUARD_MCP_TOKEN: "t" } })
  await hello(client)
  await client.end()
  return lines().split("\n")[0]?.split(",") ?? []
}

export const environment: Attack = {
  closed: async () => assert.notInclude(await variables([]), "MY_KEY"),
  opened: async () => {
    const got = await variables(["--env", "MY_KEY"])
    assert.include(got, "MY_KEY")
    assert.notInclude(got, "TOOLGUARD_MCP_TOKEN")
  }
}

export const floods: Attack = {
  closed: async () => {
    const server = [process.execPath, join(root, "test/hostile/mcp/floods.ts"), "notifications without end", "call"]
    const client = start(proxied(["--confirm", "none"], server))
    await hello(client, {})
    assert.match((await client.envelope("act"))["error"].message, /sent too much that answers no request/u)
    await client.end()
  }
}

/** Starts a server that records what it receives, and returns its port and the records. */
const recording = async (reply: string): Promise<{ readonly port: number; readonly received: Array<string> }> => {
  const received: Array<string> = []
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.on("data", (bytes) => {
      received.push(bytes.toString("latin1"))
      socket.end(reply)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve))
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, received }
}

// 0.0.0.0 is this machine, under an address that is not recognised as loopback
export const plainPostgres: Attack = {
  closed: async () => {
    const { port, received } = await recording("N")
    const url = Redacted.make(`postgres://somebody:hunter22@0.0.0.0:${port}/test`)
    const { message } = await Effect.runPromise(
      Effect.flip(Effect.provide(SqlClient.SqlClient, Postgres.layer({ url })))
    )
    assert.match(message, /offers no TLS/u)
    assert.notInclude(received.join(""), "somebody")
  },
  opened: async () => {
    const { port, received } = await recording("")
    const url = Redacted.make(`postgres://somebody:hunter22@0.0.0.0:${port}/test?sslmode=disable`)
    await Effect.runPromise(Effect.flip(Effect.provide(SqlClient.SqlClient, Postgres.layer({ url }))))
    assert.include(received.join(""), "somebody")
  }
}

const redis = async (query: string) => {
  const { port, received } = await recording("-WRONGPASS invalid username-password pair\r\n")
  const url = Redacted.make(`redis://somebody:hunter22@0.0.0.0:${port}/0${query}`)
  const { message } = await Effect.runPromise(Effect.flip(Effect.provide(Redis.Redis, RedisNode.layer({ url }))))
  return { message, received: received.join("") }
}

export const plainRedis: Attack = {
  closed: async () => {
    const { message, received } = await redis("")
    assert.match(message, /The address has no TLS/u)
    assert.strictEqual(received, "")
  },
  opened: async () => assert.include((await redis("?sslmode=disable")).received, "hunter22")
}
