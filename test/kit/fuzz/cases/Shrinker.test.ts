/** Tests the order of the smaller cases that the shrinker proposes. */
import type { FuzzAnswer } from "#kit/fuzz/cases/FuzzCase"
import * as Shrinker from "#kit/fuzz/cases/Shrinker"
import { assert, describe, it } from "@effect/vitest"

describe("Shrinker", () => {
  it("13.6 proposes fewer calls and answers first, then simpler ones", () => {
    const call = { arguments: `{"a":"long"}`, id: "x" }
    const slow: FuzzAnswer = { _tag: "Silence", after: 10, done: true }
    const plain: FuzzAnswer = { _tag: "Value", value: {} }
    const all = [...Shrinker.smaller({ caller: "loop", together: true, calls: [call, call], answers: [slow] }, plain)]
    assert.deepStrictEqual(all.slice(0, 4), [
      { caller: "loop", together: true, calls: [call], answers: [slow] },
      { caller: "loop", together: true, calls: [call], answers: [slow] },
      { caller: "loop", together: true, calls: [call, call], answers: [] },
      { caller: "loop", calls: [call, call], answers: [slow] }
    ])
    assert.deepInclude(all, { caller: "loop", together: true, calls: [call, call], answers: [plain] })
    assert.deepInclude(all, {
      caller: "loop",
      together: true,
      calls: [{ arguments: { a: "long" }, id: "x" }, call],
      answers: [slow]
    })
  })

  it("13.6 proposes nothing for the smallest case", () => {
    assert.deepStrictEqual([...Shrinker.smaller({ calls: [{ arguments: {} }], answers: [] }, { _tag: "Silence" })], [])
  })
})
