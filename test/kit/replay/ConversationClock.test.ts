/** Tests which times of a conversation its clock follows. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { inOrder } from "#kit/replay/ConversationClock"

type Times = ReadonlyArray<number | undefined>

const rows: ReadonlyArray<readonly [name: string, times: Times, followed: Times]> = [
  ["no times", [], []],
  ["times in order stay", [5, 5, undefined, 7], [5, 5, undefined, 7]],
  ["a time that is too late is put between its neighbours", [50, 990, 71, 80], [50, 60, 71, 80]],
  ["a first time that is too late is the next time", [99, 7, 8], [7, 7, 8]],
  ["of two times that contradict each other, the earlier one counts", [99, 7], [7, 7]],
  ["several times that are too late are spaced evenly", [50, 990, 980, 80, 90], [50, 60, 70, 80, 90]],
  ["a time that is too early is put between its neighbours", [50, 60, 10, 70], [50, 60, 65, 70]],
  ["a last time that is too early is absent", [5, 6, 7, 1], [5, 6, 7, undefined]],
  ["a first time that is too early stays", [1, 5, 6], [1, 5, 6]],
  ["a last time that is too late stays", [5, 6, 99], [5, 6, 99]],
  ["times that change places by a little stay between their neighbours", [50, 80, 70, 90], [50, 60, 70, 90]],
  ["times of two clocks follow one of them", [10, 101, 20, 102, 30, 103, 40], [10, 15, 20, 25, 30, 35, 40]],
  ["an absent time stays absent", [50, undefined, 990, undefined, 71], [50, undefined, 60, undefined, 71]]
]

describe("inOrder", () => {
  for (const [name, times, followed] of rows) {
    it(`13.1 ${name}`, () => {
      assert.deepStrictEqual(inOrder(times), followed)
    })
  }

  it.prop(
    "13.1 never runs backwards, and repeats no change",
    [Schema.Array(Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))))],
    ([drawn]) => {
      const followed = inOrder(drawn.map((time) => time ?? undefined))
      const known = followed.filter((time) => time !== undefined)
      assert.deepStrictEqual(
        known,
        known.toSorted((one, other) => one - other)
      )
      assert.deepStrictEqual(inOrder(followed), followed)
      assert.deepStrictEqual(
        drawn.filter((time, index) => time === null && followed[index] !== undefined),
        []
      )
    }
  )

  it("13.1 reads 20,000 times, each earlier than the one before, without quadratic work", () => {
    const falling = Array.from({ length: 20_000 }, (_, index) => 20_000 - index)
    assert.deepStrictEqual(inOrder(falling), falling.fill(1))
  })
})
