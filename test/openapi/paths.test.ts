/** Tests that paths of a document that lead out of the base URL do not become tools. */
import { assert, describe, it } from "@effect/vitest"
import { documentOf, imported } from "./importing.ts"

const get = { get: { operationId: "read_it", responses: { 200: { description: "ok" } } } }
const toolsOf = (path: string) => imported(documentOf({ [path]: get }), { baseUrl: "https://api.example.com/v1" })

describe("the path of an operation", () => {
  it("3.2 is refused with its pointer if it leads out of the base URL, even if it is escaped", () => {
    const paths = [
      "/../../admin/{id}",
      "/x/..",
      "/./admin",
      "/%2e%2e/admin",
      "/.%2E/admin",
      "/%252e%252e/admin",
      "/..%2fadmin",
      "/x/..%5cadmin",
      "/..\\admin",
      "/..;/admin",
      "/..;a=b/admin",
      "/.\t./admin",
      "/.\n./admin",
      "/x%00/admin",
      "/%2{id}/admin",
      "/x/..?y=1",
      "/x/..#y"
    ]
    for (const path of paths) {
      const { refused, tools } = toolsOf(path)
      assert.deepStrictEqual([tools.length, refused.length], [0, 1], JSON.stringify(path))
      assert.match(refused[0]?.pointer ?? "", /^\/paths\/.*\/get$/su)
      assert.match(refused[0]?.reason ?? "", /^The path contains /u)
    }
  })

  it("3.2 gives a tool if it stays within the base URL, even with dots, escapes or semicolons", () => {
    const paths = [
      "/...",
      "/a..b",
      "/.well-known/x",
      "/a;v=1/b",
      "/caf%C3%A9",
      "/a%20b",
      "/x.json",
      "/x?path=../y",
      "/"
    ]
    for (const path of paths) assert.strictEqual(toolsOf(path).tools.length, 1, path)
  })
})
