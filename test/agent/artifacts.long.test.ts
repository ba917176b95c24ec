/** Tests that a model reads a result of megabytes in parts. */
import { describe, it } from "@effect/vitest"
import { readsAllRows } from "./rowPages.ts"

describe("Agent.run, with large results", () => {
  it.effect("4.14 a model reads all of a 2 MB result page by page", () => readsAllRows(15_000, 2_000_000))
})
