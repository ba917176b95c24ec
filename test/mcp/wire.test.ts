/** What `toolguard mcp serve` writes, over stdio and HTTP: every message by the published schema of its version. */
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { data, hasData } from "../support/data.ts"
import { faults, faultsOf } from "./protocol.ts"
import { type Message, overStdio, start } from "./Wire.ts"

const versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]

const envelopeOf = ({ result }: Message) => JSON.parse(result.content[0].text)

/** Writes requests of a version, and knows what it asked. */
const speaker = (version: string, capabilities: object = {}) => {
  const methods = new Map<string | number, string>()
  let last = 0
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    "io.modelcontextprotocol/clientInfo": { name: "wire", version: "1" }
  }
  const isStateless = version >= "2026-07-28"
  return {
    methods,
    isStateless,
    opening: { protocolVersion: version, capabilities, clientInfo: { name: "wire", version: "1" } },
    request: (method: string, params: Record<string, unknown> = {}) => {
      last += 1
      methods.set(last, method)
      const given = isStateless ? { ...params, _meta: { ...meta, ...(params["_meta"] as object | undefined) } } : params
      return { jsonrpc: "2.0", id: last, method, params: given }
    },
    call: (name: string, args: object, more: object = {}) => ["tools/call", { name, arguments: args, ...more }] as const
  }
}

for (const version of versions) {
  describe.skipIf(!hasData)(`mcp serve on the wire, ${version}`, () => {
    it("13.7 over stdio", { timeout: 60_000 }, async () => {
      const served = start()
      const client = overStdio(served)
      const { call, isStateless, methods, opening, request } = speaker(version, { elicitation: {} })
      const ask = (method: string, params?: Record<string, unknown>) => {
        const message = request(method, params)
        client.write(message)
        return client.until(({ id, method: theirs }) => id === message.id && theirs === undefined)
      }
      try {
        if (!isStateless) {
          const { result } = await ask("initialize", opening)
          assert.strictEqual(result.protocolVersion, version)
          client.write({ jsonrpc: "2.0", method: "notifications/initialized" })
        }
        const listed = await ask("tools/list")
        assert.deepStrictEqual(
          listed["result"].tools.map(({ name }: { name: string }) => name),
          ["search", "refund_order", "export_rows", "draw_chart", "read_result"]
        )
        assert.strictEqual(envelopeOf(await ask(...call("search", { q: "a" }))).status, "success")
        assert.strictEqual(envelopeOf(await ask(...call("search", { z: 1 }))).error.code, "invalid_arguments")
        const flaky = await ask(...call("search", { q: "flaky" }, { _meta: { progressToken: "p" } }))
        assert.strictEqual(envelopeOf(flaky).status, "success")
        const progress = client.messages.filter(({ method }) => method === "notifications/progress")
        assert.isAtLeast(progress.length, 5)
        // what a call tells stands before its answer
        assert.isBelow(client.messages.indexOf(progress.at(-1) as Message), client.messages.indexOf(flaky))
        const large = await ask(...call("export_rows", {}))
        const read = await ask("resources/read", { uri: envelopeOf(large).resource_url })
        assert.lengthOf(JSON.parse(read["result"].contents[0].text).rows, 2000)
        await ask(...call("draw_chart", {}))
        await ask("resources/templates/list")
        assert.strictEqual((await ask(...call("nope", {})))["error"].code, -32_602)
        assert.strictEqual((await ask("no/such"))["error"].code, -32_601)
        client.write("{ this is no JSON")
        assert.strictEqual((await client.until(({ error }) => error?.code === -32_700))["id"], null)
        client.write({ jsonrpc: "2.0", id: { a: 1 }, method: "ping" })
        client.write("42")
        await client.until(({ error }) => /a message is an object/.test(error?.message))
        assert.lengthOf(
          client.messages.filter(({ error }) => error?.code === -32_600),
          2
        )
        // cancelled: the handler is interrupted, and no answer comes
        const hanging = request(...call("search", { q: "hang" }))
        client.write(hanging)
        await served.said("search hang")
        const cancelled = { requestId: hanging.id, reason: "enough" }
        client.write({
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: isStateless ? { ...cancelled, ...request("-", {}).params } : cancelled
        })
        await served.said("interrupted hang")
        assert.strictEqual(envelopeOf(await ask(...call("search", { q: "b" }))).status, "success")
        assert.isUndefined(client.messages.find(({ id }) => id === hanging.id))
        assert.deepStrictEqual(
          client.messages.flatMap((message) =>
            faultsOf(version, message, methods).map((fault) => [fault, JSON.stringify(message).slice(0, 200)])
          ),
          []
        )
        client.close()
        assert.strictEqual(await served.ended, 0)
      } finally {
        served.child.kill("SIGKILL")
      }
    })
  })
}

describe.skipIf(!hasData)("the published examples", () => {
  const folder = join(data, "specs/mcp/2026-07-28/examples")
  for (const definition of readdirSync(folder)) {
    for (const file of readdirSync(join(folder, definition))) {
      it(`are taken by the schema that our messages are held against: ${definition}/${file}`, () => {
        const example = JSON.parse(readFileSync(join(folder, definition, file), "utf8"))
        assert.deepStrictEqual(faults("2026-07-28", definition, example), [])
      })
    }
  }
})
