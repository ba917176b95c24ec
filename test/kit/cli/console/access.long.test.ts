/** Tests that the commands that serve HTTP refuse foreign hosts, pages and content types before any route. */
import { assert, describe, it } from "@effect/vitest"
import { request } from "node:http"
import { hostile } from "../../../support/McpClient.ts"
import { toolguard } from "../toolguard.ts"

interface SentRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** Sends a request with any `Host`, which fetch does not allow, and returns its status. */
const statusOf = (url: string, { headers, method, path }: SentRequest): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers }, (response) => {
      response.destroy()
      resolve(response.statusCode ?? 0)
    })
    sent.on("error", reject)
    sent.end(method === "POST" ? '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}' : undefined)
  })

const json = { "content-type": "application/json" }

const requests = (post: string, get: string): ReadonlyArray<readonly [status: number, SentRequest]> => [
  [401, { method: "POST", path: post, headers: json }],
  [401, { method: "GET", path: get, headers: {} }],
  [403, { method: "GET", path: get, headers: { host: "evil.example" } }],
  [403, { method: "POST", path: post, headers: { ...json, host: "evil.example" } }],
  [403, { method: "POST", path: post, headers: { ...json, origin: "http://localhost:3000" } }],
  [403, { method: "GET", path: "/none", headers: { host: "evil.example" } }],
  [415, { method: "POST", path: post, headers: { "content-type": "text/plain", authorization: "Bearer t-1" } }],
  [200, { method: "POST", path: post, headers: { ...json, authorization: "Bearer t-1", host: "tools.example" } }],
  [
    200,
    { method: "POST", path: post, headers: { ...json, authorization: "Bearer t-1", origin: "https://app.example" } }
  ]
]

const open = ["--allow-host", "tools.example", "--allow-origin", "https://app.example"]

describe("a command that serves HTTP", () => {
  const commands = [
    [["mcp", "proxy", "--listen", "0", ...open, "--", ...hostile("behaves")], "TOOLGUARD_MCP_TOKEN", "/mcp", "/mcp"],
    [["openapi", "serve", "--port", "0", ...open], "TOOLGUARD_OPENAPI_TOKEN", "/tools/read_order", "/openapi.json"]
  ] as const
  for (const [args, variable, post, get] of commands)
    it(`13.7 ${args[0]} ${args[1]} answers 401 without a token, 403 to a foreign host or page, and 415 to another content type`, async () => {
      const found: Array<number> = []
      const { stderr } = await toolguard(args, {
        env: { [variable]: "t-1" },
        interruptAt: "Press Ctrl-C to stop.\n",
        before: async (text) => {
          const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? ""
          for (const [, sent] of requests(post, get)) found.push(await statusOf(url, sent))
        }
      })
      // the route of the tool refuses the body, because its fields are not the tool's arguments
      const expected = requests(post, get).map(([status]) => (status === 200 && args[0] === "openapi" ? 422 : status))
      assert.deepStrictEqual(found, expected, stderr)
    })
})
