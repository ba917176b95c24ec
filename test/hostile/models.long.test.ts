/**
 * Hostile and hopeless models through the agent loop, in processes of their own with a heap of 256 MB: as a layer, and
 * over the wire by an honest server, whole and streamed.
 */
import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { once, run } from "../support/children.ts"
import { root } from "../support/sources.ts"
import { expected } from "./model/cases.ts"
import type { Finished, Told } from "./model/program.ts"
import { manyRounds, roundsOf, scenarios } from "./model/scenarios.ts"

/** Most MiB above idle. */
const mostMemory = 150
/** Most characters of an error, without `next` and `approval_url` (SPEC 5.5). */
const longestError = 600
/** Calls of a round that run at once (SPEC 2.9). */
const parallel = 8

const program = join(root, "test/hostile/model/program.ts")

const play = async (via: string, names: ReadonlyArray<string>): Promise<ReadonlyArray<Told | Finished>> => {
  const limits = ["--expose-gc", "--max-old-space-size=256"]
  const { code, stderr, stdout } = await run(process.execPath, [...limits, program, via, ...names])
  assert.strictEqual(code, 0, stderr)
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
}

for (const via of ["layer", "wire", "stream"]) {
  describe(`hostile models: ${via}`, () => {
    const cases = expected(roundsOf(via, { maxRounds: manyRounds }))
    const names = Object.keys(scenarios).filter((name) => via === "layer" || scenarios[name]?.layerOnly !== true)
    const played = once(() => play(via, names))

    for (const name of names) {
      it(`11.1 ${name}: typed, every call answered once, nothing run too often`, async () => {
        const told = (await played()).find((line): line is Told => "name" in line && line.name === name)
        const { end, read, runs } = cases.get(name) ?? { end: "", runs: {}, read: [] }
        assert.isDefined(told)
        if (told === undefined) return
        assert.deepStrictEqual(
          { end: told.end, runs: told.runs, read: Object.keys(told.read).sort() },
          { end, runs, read: read.toSorted() }
        )
        assert.strictEqual(told.answered, told.made, "calls answered exactly once")
        assert.strictEqual(told.calls, told.made, "calls counted")
        assert.deepStrictEqual(told.violations, [])
        assert.deepStrictEqual(told.refusedRequests, 0, "requests that the server refused")
        assert.deepStrictEqual([told.forged, told.leaked], [false, false], "forged, leaked")
        assert.isAtMost(told.mostAtOnce, parallel)
        assert.isAtMost(told.longestError, longestError)
        assert.isAtMost(told.peak, mostMemory)
      })
    }

    it("11.1 nothing was rejected unheard, and no prototype changed", async () => {
      assert.deepStrictEqual((await played()).at(-1), { finished: true, rejections: [], polluted: [] })
    })
  })
}
