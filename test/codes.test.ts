/** Checks that the documented table of codes matches the code. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { updated } from "../scripts/codes.ts"

describe("docs/failures.md", () => {
  it("3 lists every code of the guard (to update it: node scripts/codes.ts)", () => {
    const page = readFileSync("docs/failures.md", "utf8")
    assert.strictEqual(updated(page), page)
  })
})
