/** Tests in a separate process that the space for new objects hardly grows. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"

const module = new URL("../../../../kit/cli/replay/HeapGrowth.ts", import.meta.url).href

/** Allocates objects that live through several collections, and prints the growth of the space for new objects. */
const program = `
  import { getHeapSpaceStatistics } from "node:v8"
  import { limit } from ${JSON.stringify(module)}
  const size = () => getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size
  const before = size()
  if (process.argv[1] === "limited") limit()
  const kept = []
  for (let i = 0; i < 3_000_000; i++) kept[i % 400_000] = { i }
  console.log(size() - before, kept.length)
`

/** Returns the growth in bytes. */
const growth = (mode: "limited" | "unlimited"): number =>
  parseInt(execFileSync(process.execPath, ["--input-type=module", "--eval", program, mode]).toString(), 10)

describe("HeapGrowth", () => {
  it("13.1 the space for new objects hardly grows in a replay", () => {
    // V8 adds single pages in any case
    assert.isBelow(growth("limited"), growth("unlimited") / 4)
  })
})
