/** Tests that redaction leaves recorded results and published tool lists, which contain no secrets, unchanged. */
import * as Redaction from "#domain/redaction/Redaction"
import { assert, describe, it } from "@effect/vitest"
import { readFileSync, readdirSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { data, recordedData } from "../../support/data.ts"
import { needs } from "../../support/prerequisites.ts"

const finders = Redaction.makeFinders()
const json = (value: unknown): unknown => Redaction.redactJson(finders, value)

// Measured over these results with Node 24, median of three runs: `redactJson` reads 240 to
// 320 MB a second, and `JSON.stringify` writes 350 to 560 MB. The first text of a process takes 15 ms longer.
describe("Redaction on recorded data", needs(recordedData), () => {
  it("4.15 changes none of the results of recorded traffic", () => {
    const sources = [
      "coding",
      "livemcpbench",
      "openhands",
      "recorded-tests",
      "tau-bench-airline",
      "tau2-airline",
      "tau2-telecom",
      "toolbench"
    ]
    let read = 0
    const changed: Array<string> = []
    for (const name of sources) {
      for (const line of gunzipSync(readFileSync(`${data}/traffic/${name}.jsonl.gz`))
        .toString()
        .trim()
        .split("\n")) {
        const { messages } = JSON.parse(line) as { messages: ReadonlyArray<{ role: string; content: unknown }> }
        for (const { content, role } of messages) {
          if (role !== "tool") continue
          read += 1
          if (json(content) !== content) changed.push(`${name}: ${String(content).slice(0, 200)}`)
          try {
            const value: unknown = JSON.parse(String(content))
            if (json(value) !== value) changed.push(`${name}: ${String(content).slice(0, 200)}`)
          } catch {
            // a result that is not JSON was already read as text
          }
        }
      }
    }
    assert.isAtLeast(read, 5_000)
    assert.deepStrictEqual(changed, [])
  })

  it("4.15 leaves tool lists without secrets unchanged", () => {
    for (const name of readdirSync(`${data}/catalogues`).filter((file) => file.endsWith(".json"))) {
      const value: unknown = JSON.parse(readFileSync(`${data}/catalogues/${name}`, "utf8"))
      assert.strictEqual(json(value), value, name)
    }
  })
})
