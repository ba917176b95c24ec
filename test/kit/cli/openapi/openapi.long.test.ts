/** Runs `toolguard openapi` as a process. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { toolguard } from "../toolguard.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-openapi-"))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, content: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
  return path
}

const ok = { responses: { 200: { description: "ok" } } }
const pets = file("pets.json", {
  openapi: "3.0.0",
  info: { title: "pets", version: "1" },
  paths: {
    "/pets": {
      get: { ...ok, operationId: "listPets", summary: "Lists." },
      post: { ...ok, operationId: "add\u001b[31mPet", callbacks: {} }
    },
    "/pets/{id}": { delete: { ...ok, operationId: "removePet" } }
  }
})

describe("toolguard openapi", () => {
  it("exports a document that it can import", async () => {
    const exported = await toolguard([
      "openapi",
      "export",
      "examples/orders/main.ts",
      "--title",
      "Orders",
      "--server",
      "https://o.example"
    ])
    assert.strictEqual(exported.code, 0)
    const document = JSON.parse(exported.stdout)
    assert.deepStrictEqual(
      [document.openapi, document.info.title, document.servers],
      ["3.1.0", "Orders", [{ url: "https://o.example" }]]
    )
    const { code, stdout } = await toolguard(["openapi", "import", file("orders.json", exported.stdout), "--json"])
    const { refused, tools, unsupported } = JSON.parse(stdout)
    assert.deepStrictEqual(
      [code, tools.map((tool: any) => [tool.name, tool.access]), refused, unsupported],
      [
        0,
        [
          ["search_orders", "read"],
          ["read_order", "read"],
          ["find_refund", "read"],
          ["refund_order", "destructive"]
        ],
        [],
        []
      ]
    )
  })

  it("lists the tools of a document, and the unsupported parts by pointer", async () => {
    const { code, stderr, stdout } = await toolguard(["openapi", "import", pets])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.strictEqual(
      stdout,
      `list_pets    read         GET /pets
add_31m_pet  write        POST /pets

/paths/~1pets/post/callbacks
  Callbacks are requests that the API sends; they are not received.
/paths/~1pets~1{id}/delete
  The path has {id}, but no parameter defines it.

2 tools imported; 1 operation not supported.
`
    )
    const all = JSON.parse((await toolguard(["openapi", "import", pets, "--json"])).stdout)
    assert.deepStrictEqual(all.refused[0].pointer, "/paths/~1pets~1{id}/delete")
  })

  it("reports what is wrong with a document, without a stack trace", async () => {
    const rows: ReadonlyArray<readonly [path: string, message: RegExp]> = [
      [join(folder, "nothing.json"), /There is no file/],
      [folder, /is a folder/],
      [file("cut.json", "{"), /is not valid JSON/],
      [file("document.yaml", "openapi: 3.1.0\npaths: {}\n"), /is YAML.\n.*yaml --json/],
      [file("swagger.json", { swagger: "2.0" }), /Swagger 2\.0 is not supported.*swagger2openapi/]
    ]
    for (const [path, message] of rows) {
      const { code, stderr, stdout } = await toolguard(["openapi", "import", path])
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.match(stderr, message)
      assert.notMatch(stderr, /\n\s+at /)
    }
  })

  it("serves a backend to clients with the token", async () => {
    const responses: Array<unknown> = []
    const token = "a-token-of-the-test"
    const { stdout } = await toolguard(["openapi", "serve", "--port", "0"], {
      env: { TOOLGUARD_OPENAPI_TOKEN: token },
      interruptAt: "Press Ctrl-C to stop.\n",
      before: async (text) => {
        const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? ""
        const call = (headers: Readonly<Record<string, string>>) =>
          fetch(`${url}/tools/read_order`, {
            method: "POST",
            headers: { "content-type": "application/json", ...headers },
            body: '{"order_id":"O-1047"}'
          })
        responses.push((await call({})).status, (await call({ authorization: `Bearer ${token}` })).status)
        // the document of a toolbox always has paths
        const document = await fetch(`${url}/openapi.json`, { headers: { authorization: `Bearer ${token}` } })
        const { paths } = (await document.json()) as { readonly paths: object }
        responses.push(Object.keys(paths).length)
      }
    })
    assert.match(stdout, /^Serving 4 tools at http:\/\/127\.0\.0\.1:\d+\/tools\/.*A bearer token is required\./)
    assert.deepStrictEqual(responses, [401, 200, 4])
  })

  it("lints the tools of a document", async () => {
    const { code, stdout } = await toolguard(["lint", pets, "--json"])
    assert.strictEqual(code, 0, stdout)
    assert.include(stdout, "list_pets")
  })

  it("names the constraints that are not fully enforced", async () => {
    const schema = { type: "object", properties: { code: { type: "string", pattern: "^(?=a)b" } } }
    const content = { "application/json": { schema } }
    const path = file("patterns.json", {
      openapi: "3.1.0",
      info: { title: "patterns", version: "1" },
      paths: { "/it": { post: { ...ok, operationId: "addIt", requestBody: { content } } } }
    })
    const { code, stdout } = await toolguard(["openapi", "import", path])
    assert.strictEqual(code, 0)
    assert.include(stdout, "add_it, not fully enforced in arguments: /properties/code/pattern")
  })
})
