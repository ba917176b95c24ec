/** Tests how a tool under test is compiled. */
import { assert, describe, it } from "@effect/vitest"
import { compiledOf } from "#pipeline/call/CompiledTool"
import * as Subject from "#kit/fuzz/cases/Subject"
import { define } from "../../../pipeline/support.ts"

describe("the tool under test", () => {
  it("13.6 enforces its contract in all conversations if it has a share, and otherwise keeps its policy", () => {
    for (const [enforce, expected] of [
      [{ share: 0 }, "enforce"],
      [{ share: 0.5 }, "enforce"],
      ["advise", "advise"],
      ["enforce", "enforce"]
    ] as const) {
      const tool = define("search", { enforce })
      const subject = Subject.make(tool)
      assert.strictEqual(subject.definition.enforce, expected)
      assert.strictEqual(compiledOf(subject.tool).definition.enforce, expected)
      assert.strictEqual(subject.tool.key, tool.key)
    }
  })
})
