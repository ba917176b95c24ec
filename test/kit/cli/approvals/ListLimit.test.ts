/** Tests that a list of requests suggests only limits that the command accepts. */
import { assert, describe, it } from "@effect/vitest"
import { remaining } from "#kit/cli/approvals/ListLimit"

describe("the requests that a list does not show", () => {
  it("13.8 are listed with a higher limit, or, if no limit suffices, as older requests are decided", () => {
    assert.deepStrictEqual(
      [
        [3, 3],
        [3, 2],
        [10_000, 100],
        [10_001, 100],
        [100_000, 10_000]
      ].map(([total = 0, listed = 0]) => remaining(total, listed)),
      [
        "",
        "; 1 more with --limit 3",
        "; 9900 more with --limit 10000",
        "; --limit 10000 lists the oldest 10000, and the others follow as those are decided",
        "; the other 90000 follow as these are decided"
      ]
    )
  })
})
