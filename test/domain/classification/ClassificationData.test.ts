/** Tests the classifier on the project's own labelled messages. */
import { describe, it } from "@effect/vitest"
import { meetsTargets, own } from "./classifierTargets.ts"

describe("the classifier on labelled messages", () => {
  it("3.1 meets its targets on our own messages", () => meetsTargets(own))
})
