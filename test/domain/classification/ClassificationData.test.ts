/** The classifier on our own labelled messages. */
import { describe, it } from "@effect/vitest"
import { meetsItsAims, own } from "./classifierAims.ts"

describe("the classifier on labelled messages", () => {
  it("3.1 meets its aims on our own messages", () => meetsItsAims(own))
})
