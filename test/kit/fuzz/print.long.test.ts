/** A failing case is told as a test that runs as it is pasted, fails as long as the promise is broken, and no longer. */
import { checkTool, type FuzzCase, type FuzzFailure } from "#kit/fuzz/CheckTool"
import * as Print from "#kit/fuzz/cases/Print"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { moduleOf } from "../../support/examples.ts"
import { root } from "../../support/sources.ts"
import { node } from "../../support/tools.ts"
import { guard, ReadNote } from "./careless.ts"

/** Runs a text as a file of tests. */
const pasted = async (text: string) => {
  const folder = mkdtempSync(join(root, "test/.pasted-"))
  try {
    writeFileSync(join(folder, "pasted.test.ts"), text)
    return await node([join(root, "node_modules/vitest/vitest.mjs"), "run", join(folder, "pasted.test.ts")])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const source: Print.Source = {
  imports: [`import { guard, ReadNote } from "../kit/fuzz/careless.ts"`],
  options: ["guard"]
}

describe("a printed test", () => {
  it("13.6 runs as it is pasted, and fails until the promise is kept", async () => {
    const error = await Effect.runPromise(Effect.flip(checkTool(ReadNote, { guard, source })))
    const { detail, test } = error as FuzzFailure
    const broken = await pasted(test)
    assert.strictEqual(broken.code, 1, broken.stderr)
    assert.include(broken.stdout + broken.stderr, detail)
    const kept = await pasted(test.replace("{ guard, ReadNote }", "{ ReadNote }").replace("    guard,\n", ""))
    assert.deepStrictEqual([kept.code, kept.stderr], [0, ""])
  })

  it("13.6 is small, and names nothing but the case", async () => {
    const error = (await Effect.runPromise(Effect.flip(checkTool(ReadNote, { guard })))) as FuzzFailure
    assert.strictEqual(
      error.message,
      [
        "read_note breaks the promise of secrets: no secret, and nothing of the host, reaches a model or a person.",
        `${error.detail}`,
        `Again: replay: "${error.replay}".`,
        "",
        `it("read_note: no secret, and nothing of the host, reaches a model or a person", () =>`,
        "  checkTool(ReadNote, {",
        `    case: { calls: [{ arguments: { note_id: "" } }], answers: [{ _tag: "Fault", fault: "closed" }] }`,
        "  }).pipe(Effect.runPromise))"
      ].join("\n")
    )
  })

  it("13.6 holds every value as it was, however strange", () => {
    const strange: FuzzCase = {
      caller: "program",
      calls: [
        { arguments: JSON.parse(`{"__proto__":{"polluted":true},"a-b":[null,-0.5,1e308],"":"\\u202e\\u0000\\ud800"}`) },
        { arguments: "x".repeat(5_000), name: "\u001b[31m", isCut: true },
        { arguments: "😀".repeat(700), id: "`${1}`" }
      ],
      answers: [{ _tag: "Response", status: 429, headers: { "retry-after": "1" }, body: "'\"\\\n" }]
    }
    const text = Print.test("strange", "tool", strange, {})
    assert.match(text, /^[\x20-\x7e\n😀]*$/u)
    assert.isBelow(text.length, 900)
    const case_ = text.slice(text.indexOf("case: ") + "case: ".length, text.lastIndexOf("  }).pipe"))
    const read = new Function(`return ${case_}`)() as FuzzCase
    assert.deepStrictEqual(read, strange)
    assert.isTrue(Object.hasOwn(read.calls[0]?.arguments as object, "__proto__"))
    assert.doesNotThrow(() => moduleOf(text))
  })
})
