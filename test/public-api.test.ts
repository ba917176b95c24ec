/**
 * Checks that PUBLIC_API.txt lists exactly the public names.
 *
 * After an intended change, run `npx vitest run test/public-api.test.ts -u` and add a line to the changelog.
 */
import { assert, describe, expect, it } from "@effect/vitest"
import { join } from "node:path"
import { publicApi } from "./support/publicApi.ts"
import { paths, read, root } from "./support/sources.ts"

interface Package {
  readonly name: string
  readonly exports: Readonly<Record<string, string | null>>
}

/** Returns the modules that a package exports, with the specifiers that users write. Internal modules are omitted. */
const modulesOf = (folder: string): ReadonlyArray<readonly [specifier: string, path: string]> => {
  const { exports, name } = JSON.parse(read(join(folder, "package.json"))) as Package
  return Object.entries(exports).flatMap(([entry, pattern]) => {
    if (!pattern?.endsWith(".ts") || entry.startsWith("./internal/")) return []
    const [before = "", after = ""] = join(folder, pattern).split("*")
    return paths(pattern.includes("*") ? `${before}*${after}` : before).map((path): readonly [string, string] => [
      entry.replace(".", name).replace("*", path.slice(before.length, path.length - after.length)),
      path
    ])
  })
}

describe("public names", () => {
  for (const [name, folder] of [
    ["effect-toolguard", "."],
    ["toolguard", "kit"]
  ] as const) {
    it(`of ${name} match its PUBLIC_API.txt`, async () => {
      await expect(publicApi(modulesOf(folder), read)).toMatchFileSnapshot(join(root, folder, "PUBLIC_API.txt"))
    })
  }

  it("contain no internal module", () => {
    const specifiers = [".", "kit"].flatMap((folder) => modulesOf(folder).map(([specifier]) => specifier))
    assert.include(specifiers, "effect-toolguard/layers/BudgetsMemory")
    assert.deepStrictEqual(
      specifiers.filter((specifier) => /internal/.test(specifier)),
      []
    )
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
