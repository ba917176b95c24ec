/**
 * Every change of a public name is a visible diff of PUBLIC_API.txt.
 *
 * After a change that is meant: `npx vitest run test/public-api.test.ts -u`, and a line in the changelog.
 */
import { assert, describe, expect, it } from "@effect/vitest"
import { join } from "node:path"
import { publicApi } from "./support/publicApi.ts"
import { paths, read, root } from "./support/sources.ts"

const { exports } = JSON.parse(read("package.json")) as { readonly exports: Readonly<Record<string, string>> }

/** Every module behind the exports of package.json, with the specifier that users write. */
const modules = Object.entries(exports).flatMap(([name, pattern]) => {
  const [before = "", after = ""] = pattern.slice("./".length).split("*")
  return paths(pattern.includes("*") ? `${before}**/*${after}` : before).map((path): readonly [string, string] => [
    name.replace(".", "effect-toolguard").replace("*", path.slice(before.length, path.length - after.length)),
    path
  ])
})

describe("public names", () => {
  it("are those of PUBLIC_API.txt", async () => {
    await expect(publicApi(modules, read)).toMatchFileSnapshot(join(root, "PUBLIC_API.txt"))
  })

  it("are found through declarations, lists, re-exports and namespaces", () => {
    const files: Readonly<Record<string, string>> = {
      "src/index.ts": `export * as Agent from "./Agent.ts"\nexport * from "#domain/Failure"\nexport { run as start } from "./Agent.ts"`,
      "src/Agent.ts": `const run = 1\nexport { run }\nexport const limit = 1, other = 2\nconst hidden = 1\nexport function f() {}`,
      "src/domain/Failure.ts": `export class Transient {}\nexport const Level = 1\nexport type Level = 1\nexport interface Fields {}`
    }
    assert.strictEqual(
      publicApi([["effect-toolguard", "src/index.ts"]], (path) => files[path] ?? ""),
      `effect-toolguard
  Agent.f (function)
  Agent.limit (const)
  Agent.other (const)
  Agent.run
  Fields (type)
  Level (const, type)
  Transient (class)
  start
`
    )
  })
})
