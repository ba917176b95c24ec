/** Tests the value of `--advise` as a shell reads it. */
import { quoted, valueOf } from "#kit/report/AdvisedTools"
import { assert, describe, it } from "@effect/vitest"

describe("the value of --advise", () => {
  it("13.1 is quoted if a name of the log would be a command", () => {
    assert.strictEqual(quoted(valueOf(["a", "b.c"])), "a,b.c")
    assert.strictEqual(quoted(valueOf(["s;id>x"])), "'s;id>x'")
    assert.strictEqual(quoted(valueOf(["it's"])), `'it'\\''s'`)
  })
})
