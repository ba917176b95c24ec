/** The README's table of codes is the code's. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { updated } from "../scripts/readme.ts"

describe("README", () => {
  it("3 lists every code of the guard's own (else run: node scripts/readme.ts)", () => {
    const readme = readFileSync("README.md", "utf8")
    assert.strictEqual(updated(readme), readme)
  })
})
