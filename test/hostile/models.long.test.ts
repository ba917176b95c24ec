/**
 * Tests hostile and incapable models in the agent loop, in separate processes with a heap of 256 MB: as a model layer,
 * and over HTTP from a well-behaved server, streamed and not streamed.
 */
import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { once, run } from "../support/children.ts"
import { root } from "../support/sources.ts"
import { expected } from "./model/cases.ts"
import type { FinishedReport, ScenarioReport } from "./model/program.ts"
import { manyRounds, roundsOf, scenarios } from "./model/scenarios.ts"

/** The limit of memory above idle, in MiB. */
const maxMemory = 150
/** The limit of characters of an error, without `next` and `approval_url` [5.5]. */
const maxErrorLength = 600
/** The number of calls of a round that run concurrently [2.9]. */
const concurrency = 8

const program = join(root, "test/hostile/model/program.ts")

const play = async (
  via: string,
  names: ReadonlyArray<string>
): Promise<ReadonlyArray<ScenarioReport | FinishedReport>> => {
  const limits = ["--expose-gc", "--max-old-space-size=256"]
  const { code, stderr, stdout } = await run(process.execPath, [...limits, program, via, ...names])
  assert.strictEqual(code, 0, stderr)
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
}

for (const via of ["layer", "wire", "stream", "responses", "responses-stream"]) {
  describe(`hostile models: ${via}`, () => {
    const cases = expected(roundsOf(via, { maxRounds: manyRounds }))
    const names = Object.keys(scenarios).filter((name) => via === "layer" || scenarios[name]?.layerOnly !== true)
    const played = once(() => play(via, names))

    for (const name of names) {
      it(`11.1 ${name}: the outcome is typed, every call is answered once, and no handler runs too often`, async () => {
        const report = (await played()).find((line): line is ScenarioReport => "name" in line && line.name === name)
        const { end, read, runs } = cases.get(name) ?? { end: "", runs: {}, read: [] }
        assert.isDefined(report)
        if (report === undefined) return
        assert.deepStrictEqual(
          { end: report.end, runs: report.runs, read: Object.keys(report.read).sort() },
          { end, runs, read: read.toSorted() }
        )
        assert.strictEqual(report.answered, report.made, "calls answered exactly once")
        assert.strictEqual(report.calls, report.made, "calls counted")
        assert.deepStrictEqual(report.violations, [])
        assert.deepStrictEqual(report.refusedRequests, 0, "requests that the server refused")
        assert.deepStrictEqual([report.forged, report.leaked], [false, false], "forged, leaked")
        assert.isAtMost(report.maxConcurrent, concurrency)
        assert.isAtMost(report.longestError, maxErrorLength)
        assert.isAtMost(report.peak, maxMemory)
      })
    }

    it("11.1 no promise rejection was unhandled, and no prototype changed", async () => {
      assert.deepStrictEqual((await played()).at(-1), { finished: true, rejections: [], polluted: [] })
    })
  })
}
