/** Tests which access the annotations of a tool state. */
import { accessOf } from "#src/mcp/remote/AnnotatedAccess"
import { assert, describe, it } from "@effect/vitest"

describe("accessOf", () => {
  for (const [annotations, access] of [
    [{ readOnlyHint: true }, "read"],
    [{ readOnlyHint: true, destructiveHint: true }, "read"],
    [{ destructiveHint: false }, "write"],
    [{ readOnlyHint: false, destructiveHint: false }, "write"],
    [{ destructiveHint: true }, "destructive"],
    [{ readOnlyHint: false }, "destructive"],
    [{ readOnlyHint: "true" }, "destructive"],
    [{ destructiveHint: "false" }, "destructive"],
    [{}, "destructive"]
  ] as const) {
    it(`13.7 returns ${access} for ${JSON.stringify(annotations)}`, () =>
      assert.strictEqual(accessOf(annotations), access))
  }
})
