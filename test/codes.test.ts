/** Checks that the table of codes in docs/failures.md is up to date. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { updated } from "../scripts/codes.ts"

describe("docs/failures.md", () => {
  it("3 lists every code of the guard (to update it: node scripts/codes.ts)", () => {
    const page = readFileSync("docs/failures.md", "utf8")
    assert.strictEqual(updated(page), page)
  })
})
