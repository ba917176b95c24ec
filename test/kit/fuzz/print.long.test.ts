/** Tests that the printed test of a failing case runs when pasted, and fails only while the promise is broken. */
import { checkTool, type FuzzCase, type FuzzFailure } from "#kit/fuzz/CheckTool"
import * as TestPrinter from "#kit/fuzz/cases/TestPrinter"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { moduleOf } from "../../support/examples.ts"
import { root } from "../../support/sources.ts"
import { node } from "../../support/tools.ts"
import { guard, ReadNote } from "./printFixture.ts"

/** Writes a text to a test file and runs it. */
const runPasted = async (text: string) => {
  const folder = mkdtempSync(join(root, "test/.pasted-"))
  try {
    writeFileSync(join(folder, "pasted.test.ts"), text)
    return await node([join(root, "node_modules/vitest/vitest.mjs"), "run", join(folder, "pasted.test.ts")])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const source: TestPrinter.Source = {
  imports: [`import { guard, ReadNote } from "../kit/fuzz/printFixture.ts"`],
  options: ["guard"]
}

describe("a printed test", () => {
  it("13.6 runs when pasted, and fails until the promise is kept", async () => {
    const error = await Effect.runPromise(Effect.flip(checkTool(ReadNote, { guard, source })))
    const { detail, test } = error as FuzzFailure
    const broken = await runPasted(test)
    assert.strictEqual(broken.code, 1, broken.stderr)
    assert.include(broken.stdout + broken.stderr, detail)
    const kept = await runPasted(test.replace("{ guard, ReadNote }", "{ ReadNote }").replace("    guard,\n", ""))
    assert.deepStrictEqual([kept.code, kept.stderr], [0, ""])
  })

  it("13.6 contains only the shrunk case", async () => {
    const error = (await Effect.runPromise(Effect.flip(checkTool(ReadNote, { guard })))) as FuzzFailure
    assert.strictEqual(
      error.message,
      [
        'read_note breaks the "secrets" promise: no secret and no detail of the host reaches a model or a person.',
        `${error.detail}`,
        `To run the original case again, set replay: "${error.replay}".`,
        "",
        `it("read_note: no secret and no detail of the host reaches a model or a person", () =>`,
        "  checkTool(ReadNote, {",
        `    case: { calls: [{ arguments: { note_id: "" } }], answers: [{ _tag: "Fault", fault: "closed" }] }`,
        "  }).pipe(Effect.runPromise))"
      ].join("\n")
    )
  })

  it("13.6 preserves every value of a case, including hostile texts", () => {
    const strange: FuzzCase = {
      caller: "program",
      calls: [
        { arguments: JSON.parse(`{"__proto__":{"polluted":true},"a-b":[null,-0.5,1e308],"":"\\u202e\\u0000\\ud800"}`) },
        { arguments: "x".repeat(5_000), name: "\u001b[31m", isCut: true },
        { arguments: "😀".repeat(700), id: "`${1}`" }
      ],
      answers: [{ _tag: "Response", status: 429, headers: { "retry-after": "1" }, body: "'\"\\\n" }]
    }
    const text = TestPrinter.test("strange", "tool", strange, {})
    assert.match(text, /^[\x20-\x7e\n😀]*$/u)
    assert.isBelow(text.length, 900)
    const caseSource = text.slice(text.indexOf("case: ") + "case: ".length, text.lastIndexOf("  }).pipe"))
    const read = new Function(`return ${caseSource}`)() as FuzzCase
    assert.deepStrictEqual(read, strange)
    assert.isTrue(Object.hasOwn(read.calls[0]?.arguments as object, "__proto__"))
    assert.doesNotThrow(() => moduleOf(text))
  })
})
