/** The table of SECURITY.md about the wire: each row names a setting and the tests that prove it. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./support/sources.ts"

const section = readFileSync(join(root, "SECURITY.md"), "utf8").split("## Closed by default on the wire")[1] ?? ""
const rows = (section.split("\n## ")[0] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"))
  .slice(1)
  .map((line) => line.split("|").map((cell) => cell.trim()))

describe("SECURITY.md", () => {
  it.each(rows.map((row) => [row[1] ?? "", row] as const))(
    "13.7 %s, which is closed by default, has a default, a setting or a dash, and tests that exist",
    (_, [, , isClosed = "", setting = "", tests = ""]) => {
      assert.notStrictEqual(isClosed, "")
      assert.match(setting, /`|^—|unset/u)
      const files = [...tests.matchAll(/`([^`]+)`/gu)].map(([, file = ""]) => file)
      assert.isAbove(files.length, 0)
      for (const file of files) assert.isTrue(existsSync(join(root, file)), file)
    }
  )
})
