/** Compares the files that each entry of the built packages loads with a committed table. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Budget from "./budget.ts"
import { entries } from "./entries.ts"
import { installBuilt, loaded } from "./start.ts"

const budget = Budget.read()
const remedy =
  "Import it where it is needed, not at the top. If the growth is intended: npm run bench:start -- --budget, and commit test/start/budget.json."

let built: Awaited<ReturnType<typeof installBuilt>>
beforeAll(async () => {
  built = await installBuilt()
})
afterAll(() => built.remove())

describe("a start", () => {
  it("has a budget for exactly the entries", () => {
    assert.sameMembers(
      Object.keys(budget),
      entries.map(({ name }) => name)
    )
  })

  it.each(entries)("$name loads no more than its budget", async ({ args, name }) => {
    const found = await loaded(built.folder, args)
    const { kilobytes = 0, modules = 0 } = budget[name] ?? {}
    assert.isAtMost(found.modules, modules, `modules that ${name} loads. ${remedy}`)
    assert.isAtMost(found.kilobytes, kilobytes, `kilobytes that ${name} loads. ${remedy}`)
  })
})
