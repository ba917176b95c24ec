/** Every numbered requirement that is built has a test that carries its number in its name. */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"

/** What stands in this release, by the specification's numbers. */
const built = `
  2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 3.1 3.2 3.3 3.4
  4.1 4.2 4.3 4.4 4.5 4.6 4.7 4.8 4.9 4.10 4.11 4.12 4.13 4.14 4.15 4.16 4.17
  5.1 5.2 5.3 5.4 5.5 7.0 7.1 7.2 7.3 8.1 8.2 8.3 8.4 9.1 9.2 9.3 9.4
  10.1 10.2 10.3 10.4 11.1 11.2 11.3 11.4 12.1 12.2 13.2 13.3 13.4 13.5 13.6 13.8 15.1 15.2`
  .trim()
  .split(/\s+/u)

const named = /(?:it|test|describe|layer)(?:\.\w+)*(?:\([^()`"']*\))?\(\s*[`"']([^`"']*)/gu
const number = /\b\d{1,2}\.\d{1,2}\b/gu

describe("requirements", () => {
  it("each have a test", () => {
    const files = globSync("test/**/*.test.ts", { exclude: (path) => String(path).includes("node_modules") })
    const names = files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(named)].map(([, name = ""]) => name))
    const tested = new Set(names.flatMap((name) => name.match(number) ?? []))
    assert.deepStrictEqual(
      built.filter((requirement) => !tested.has(requirement)),
      []
    )
  })
})
