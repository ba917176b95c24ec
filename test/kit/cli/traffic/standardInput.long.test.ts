/** Tests reading recorded traffic from the standard input of a process. */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { gzipSync } from "node:zlib"
import { endOf, endWithTest, type ProcessExit } from "../../../support/children.ts"
import { root } from "../../../support/sources.ts"

const line = (text: string) =>
  JSON.stringify({
    messages: [
      { role: "user", content: text },
      { role: "developer", content: "" }
    ]
  })

describe("recorded traffic", () => {
  it("13.1 reads standard input, plain and gzip", async () => {
    const program = `import { Stream } from "effect"
      import * as Traffic from "#kit/cli/traffic/Traffic"
      for await (const { bytes, file, items, total } of Stream.toAsyncIterable(Traffic.stream(["-"]))) {
        for (const item of items) console.log(JSON.stringify([file, item.place.line, item._tag, bytes, total ?? null]))
      }`
    const run = (input: Uint8Array): Promise<ProcessExit> => {
      const args = ["--input-type=module", "-e", program]
      const child = endWithTest(spawn(process.execPath, args, { cwd: root, stdio: ["pipe", "pipe", "inherit"] }))
      child.stdin.write(input.subarray(0, 1))
      child.stdin.end(input.subarray(1))
      return endOf(child)
    }
    const text = Buffer.from(`${line("a")}\n${line("b")}`)
    for (const input of [text, gzipSync(text)]) {
      const expected = [1, 2].map((at) => JSON.stringify(["standard input", at, "Conversation", input.length, null]))
      assert.strictEqual((await run(input)).stdout, `${expected.join("\n")}\n`)
    }
  })
})
