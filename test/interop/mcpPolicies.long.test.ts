/** Tests failures, repeats and polls with the proxy between the official MCP client and a server of the official SDK. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { proxied } from "../support/command.ts"
import { needs } from "../support/prerequisites.ts"
import { root } from "../support/sources.ts"
import { installed, packages } from "./packages.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-policies-"))
const config = join(folder, "proxy.json")
const poll = { interval: "10 millis", deadline: "1 minute", until: { path: "status", in: ["done", "failed"] } }
writeFileSync(config, JSON.stringify({ tools: { get_job: { access: "read", poll } } }))

/** Connects the official client to the server through the proxy. */
const connect = async () => {
  const esm = join(installed, "@modelcontextprotocol/sdk/dist/esm")
  const [{ Client }, { StdioClientTransport }] = await Promise.all(
    ["client/index.js", "client/stdio.js"].map((file) => import(join(esm, file)) as Promise<any>)
  )
  const [command, ...args] = proxied(["--config", config], [process.execPath, join(root, "test/interop/shopServer.ts")])
  const client = new Client({ name: "test", version: "1" })
  await client.connect(new StdioClientTransport({ command, args, cwd: root, stderr: "ignore" }))
  return client
}

describe(
  "toolguard mcp proxy in front of a server of the official SDK",
  needs(packages("@modelcontextprotocol/sdk")),
  () => {
    let client: any
    beforeAll(async () => {
      client = await connect()
    })
    afterAll(async () => {
      await client?.close()
      rmSync(folder, { recursive: true })
    })

    const call = async (name: string, args: object = {}) => {
      const result = await client.callTool({ name, arguments: args })
      return { isError: result.isError === true, text: result.content[0].text as string }
    }

    it("4.6 adds an item five times if the model adds it five times", async () => {
      for (const number of [1, 2, 3, 4, 5])
        assert.deepStrictEqual(await call("add_item", { name: "apple" }), {
          isError: false,
          text: `added as number ${number}`
        })
      assert.strictEqual((await call("count_items")).text, '{"items":5}')
    })

    it("7.2 asks the server for the status of a job until the job is done", async () => {
      const seen: Array<string> = []
      for (let question = 0; question < 5; question++) seen.push(JSON.parse((await call("get_job")).text).status)
      assert.deepStrictEqual(seen, ["running", "running", "running", "running", "done"])
    })

    it("3.3 returns failures in the words of the server, and the session continues", async () => {
      for (const [name, words] of [
        ["run_code", "Error: Command failed: node job.js Error: no seats left on flight 7"],
        ["reset_branch", "Cannot reset the protected branch main without confirmation"],
        ["read_sheet", "open plan.xlsx: no such file or directory"]
      ] as const) {
        const { isError, text } = await call(name)
        assert.isTrue(isError)
        const { error } = JSON.parse(text)
        assert.include(error.message, words)
        assert.notInclude(error.message, "shopServer")
        assert.notStrictEqual(error.error_class, "human_review")
        assert.deepInclude(error, { side_effect: "unknown", retryable: false, next_step: "ask_user" })
        assert.isAtMost(JSON.stringify(error).length, 600)
      }
      assert.isFalse((await call("add_item", { name: "pear" })).isError)
    })
  }
)
