/** Tests how the proxy reads its server, variables and headers from the command line. */
import * as Variables from "#kit/cli/console/Variables"
import * as ServerConnection from "#kit/cli/mcp/ServerConnection"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = mkdtempSync(join(tmpdir(), "toolguard-headers-"))
afterAll(() => rmSync(folder, { recursive: true }))

const variables = {
  MCP_BEARER: "Bearer s3cret-1",
  MCP_EMPTY: "",
  MCP_LINES: "a\r\nevil: b",
  MCP_URL: "http://h/?token=a"
}
Object.assign(process.env, variables)
afterAll(() => Object.keys(variables).forEach((name) => delete process.env[name]))

type Options = Parameters<typeof ServerConnection.serverOf>[0]

const options = (some: Partial<Options>): Options => ({
  command: [],
  env: [],
  url: Option.none(),
  urlEnv: Option.none(),
  header: [],
  headerEnv: [],
  headerFile: [],
  ...some
})
const at = (url: string, some: Partial<Options> = {}) => options({ url: Option.some(url), ...some })
const refusal = (some: Options) =>
  Effect.map(Effect.flip(ServerConnection.serverOf(some)), ({ message, remedy }) => `${message} ${remedy}`)

describe("the server of a proxy", () => {
  it.live("13.7 passes headers from the command line, from variables and from files to the server", () =>
    Effect.gen(function* () {
      const file = join(folder, "headers")
      writeFileSync(file, "\ufeffX-Api-Key: k-1\r\n\r\nx-region:  eu \n")
      const headers = yield* Effect.callback<Record<string, unknown>>((resume) => {
        const server = createServer(({ headers }, response) => {
          response.writeHead(200, { "content-type": "application/json" }).end("{}")
          server.close()
          resume(Effect.succeed(headers))
        })
        server.listen(0, "127.0.0.1", () => {
          const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
          const named = { header: ["x-team: red"], headerEnv: ["Authorization=MCP_BEARER"], headerFile: [file] }
          void Effect.gen(function* () {
            const { connect, warnings } = yield* ServerConnection.serverOf(at(url, named))
            assert.deepStrictEqual(warnings, [])
            const transport = yield* connect
            transport.post({ text: '{"jsonrpc":"2.0","id":1,"method":"ping"}', id: 1, method: "ping" }, () => {})
            yield* Effect.sleep("2 seconds")
          }).pipe(Effect.scoped, Effect.provide([FetchHttpClient.layer, NodeServices.layer]), Effect.runPromiseExit)
        })
      })
      const { authorization, "x-api-key": key, "x-region": region, "x-team": team } = headers
      assert.deepStrictEqual([authorization, key, region, team], ["Bearer s3cret-1", "k-1", "eu", "red"])
    })
  )

  it.effect("13.7 refuses a secret on the command line, and names the remedy without the secret", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [Options, string]> = [
        [at("https://h/", { header: ["authorization: Bearer s3cret"] }), "--header-env authorization=VARIABLE"],
        [at("https://h/", { header: ["X-Api-Key: s3cret"] }), "--header-env x-api-key=VARIABLE"],
        [at("https://h/", { header: ["cookie: id=s3cret"] }), "--header-env cookie=VARIABLE"],
        [at("https://h/", { header: ["x-custom: Bearer s3cret"] }), "--header-env x-custom=VARIABLE"],
        [at("https://h/?api_key=s3cret"), "--url-env VARIABLE"],
        [at("https://ann:s3cret@h/"), "--header-env authorization=VARIABLE"],
        [options({ command: ["node"], env: ["API_KEY=s3cret"] }), "--env API_KEY"]
      ]
      for (const [some, remedy] of cases) {
        const message = yield* refusal(some)
        assert.include(message, remedy)
        assert.notInclude(message.replace("https://ann:s3cret@h/", ""), "s3cret")
      }
    })
  )

  it.effect("13.7 refuses a header, a variable or a file that cannot be used, and names its place", () =>
    Effect.gen(function* () {
      const broken = join(folder, "broken")
      writeFileSync(broken, "x-a: b\nBearer s3cret\n")
      const cases: ReadonlyArray<readonly [Options, RegExp]> = [
        [at("https://h/", { headerEnv: ["authorization=MCP_NONE"] }), /MCP_NONE, which is not set/],
        [at("https://h/", { headerEnv: ["authorization=MCP_EMPTY"] }), /MCP_EMPTY, which is not set/],
        [at("https://h/", { headerEnv: ["authorization=MCP_LINES"] }), /MCP_LINES has a line break/],
        [at("https://h/", { headerEnv: ["authorization"] }), /does not name a header and a variable/],
        [at("https://h/", { headerFile: [broken] }), /broken:2 is not a header\. Write/],
        [at("https://h/", { headerFile: [join(folder, "none")] }), /There is no file .*none/],
        [at("https://h/", { env: ["HOME"] }), /--env needs a command/],
        [at("https://h/", { urlEnv: Option.some("MCP_URL") }), /both --url and --url-env/],
        [options({ command: ["node"], env: ["MCP_NONE"] }), /MCP_NONE, which is not set/],
        [options({ command: ["node"], env: ["TOOLGUARD_DATABASE"] }), /a variable of the guard, which no server gets/]
      ]
      for (const [some, expected] of cases) {
        const message = yield* refusal(some)
        assert.match(message, expected)
        assert.notInclude(message, "s3cret")
      }
    })
  )

  it.effect("13.7 warns about a credential for http:// on another machine", () =>
    Effect.gen(function* () {
      const warningsOf = (url: string) =>
        Effect.map(
          ServerConnection.serverOf(at(url, { headerEnv: ["authorization=MCP_BEARER"] })),
          ({ warnings }) => warnings.length
        )
      assert.strictEqual(yield* warningsOf("http://server.example/mcp"), 1)
      assert.strictEqual(yield* warningsOf("https://server.example/mcp"), 0)
      for (const host of ["127.0.0.1:1", "localhost:1", "[::1]:1"])
        assert.strictEqual(yield* warningsOf(`http://${host}/mcp`), 0)
      const { warnings } = yield* ServerConnection.serverOf(at("http://server.example/"))
      assert.deepStrictEqual(warnings, [])
    })
  )

  it.effect("13.7 --env NAME passes only this variable to the server", () =>
    Effect.gen(function* () {
      const own = { API_KEY: "a", OTHER: "b" }
      assert.deepStrictEqual(yield* Variables.forServer(["API_KEY"], own), { API_KEY: "a" })
    })
  )
})
