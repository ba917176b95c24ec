/** Tests the sentence about requests for approval that cannot be read. */
import { sentenceOf } from "#domain/approval/UnreadableRequests"
import { assert, describe, it } from "@effect/vitest"

describe("requests that cannot be read", () => {
  it("10.3 names at most three of them, without invisible characters", () => {
    assert.match(
      sentenceOf(["a\u202eb"]),
      /^One pending request cannot be read, and nobody can decide it: a\[U\+202E\]b\. /u
    )
    assert.match(sentenceOf(["1", "2", "3"]), /^3 pending requests cannot be read, .* decide them: 1, 2, 3\. /u)
    assert.match(sentenceOf(["1", "2", "3", "4", "5"]), /: 1, 2, 3 and 2 more\. /u)
  })
})
