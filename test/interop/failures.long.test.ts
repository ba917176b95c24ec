/** Tests that every guarded host handles the thirteen failures, and that the guide shows what `npm run failures` prints. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { needs } from "../support/prerequisites.ts"
import { packages } from "./packages.ts"

const guide = readFileSync(join(import.meta.dirname, "../../docs/hosts.md"), "utf8")

describe("npm run failures", needs(packages("openai")), () => {
  it("11.5 each guarded host handles each failure, and the guide has the table", { timeout: 120_000 }, async () => {
    const { markdown, rowsOf } = await import("./failures/table.ts")
    const rows = await rowsOf("")
    assert.strictEqual(rows.length, 13)
    for (const { cells, failure } of rows)
      for (const { host, isGuarded, isHandled, text } of cells)
        if (isGuarded) assert.isTrue(isHandled, `${failure}, ${host}: ${text}`)
    assert.isTrue(rows.some(({ cells }) => cells.some(({ isGuarded, isHandled }) => !isGuarded && !isHandled)))
    assert.include(guide, markdown(rows))
  })
})
