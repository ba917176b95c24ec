/** Tests which answers of tools without a result schema and without an error flag are failures. */
import { assert, describe, it } from "@effect/vitest"
import { soleFailureIn } from "#domain/answers/texts/SoleFailure"

const refused = "Error: connection refused"

describe("soleFailureIn", () => {
  for (const [answers, tool, words] of [
    [[refused], "request", refused],
    [[`\n${refused}\n`], "read_file", `\n${refused}\n`.trim()],
    [[`${refused}\n    at a (b:1:2)`], "request", `${refused}\n    at a (b:1:2)`],
    [[{ content: [], n: 1 }, refused], "request", refused],
    [[{ ok: true }, refused], "request", refused],
    [["Cats sleep", refused], "request", refused],
    [[{ error: "The key was not found" }], "request", "The key was not found"]
  ] as ReadonlyArray<readonly [ReadonlyArray<unknown>, string, string]>)
    it(`3.4 ${JSON.stringify(answers)} of ${tool} is a failure`, () => {
      const found = soleFailureIn(answers, tool, "read")
      assert.strictEqual(found?.message, words)
      assert.strictEqual(found?.error.message, words.split("\n")[0])
    })

  for (const [answers, tool, access] of [
    [[refused], "request", "write"],
    [[refused], "run_tests", "read"],
    [[`${refused}\nat x`], "read_file", "read"],
    [[`${refused}\n[12 more lines in file. Use offset=9 to continue]`], "request", "read"],
    [[{ a: [1] }, refused], "request", "read"],
    [[{ errors: [{ line: 1, message: "not found" }] }], "request", "read"],
    [[{ url: "https://a.example", statusCode: 404 }], "request", "read"],
    [[5], "request", "read"]
  ] as ReadonlyArray<readonly [ReadonlyArray<unknown>, string, "read" | "write"]>)
    it(`3.4 ${JSON.stringify(answers)} of the ${access} ${tool} is no failure`, () =>
      assert.isUndefined(soleFailureIn(answers, tool, access)))
})
