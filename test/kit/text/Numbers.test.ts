/** Tests how numbers in reports are formatted. */
import * as Numbers from "#kit/text/Numbers"
import { assert, describe, it } from "@effect/vitest"

describe("Numbers", () => {
  it("13.1 are readable, and only an exact zero is 0 %, and only the whole is 100 %", () => {
    assert.deepStrictEqual(
      [Numbers.counted(1, "call"), Numbers.counted(5_353, "call"), Numbers.counted(0, "file")],
      ["1 call", "5,353 calls", "0 files"]
    )
    assert.deepStrictEqual(
      [
        Numbers.share(0, 0),
        Numbers.share(1, 5_000),
        Numbers.share(4_999, 5_000),
        Numbers.share(1, 3),
        Numbers.share(7, 7)
      ],
      ["0 %", "< 0.1 %", "> 99.9 %", "33.3 %", "100 %"]
    )
    assert.deepStrictEqual(
      [
        Numbers.about(36_082),
        Numbers.about(7_319_446),
        Numbers.about(2.5e9),
        Numbers.dollars(22.4996),
        Numbers.dollars(0.0012),
        Numbers.dollars(0)
      ],
      ["36,082", "7.3 million", "2.5 billion", "$22.50", "$0.0012", "$0.00"]
    )
  })
})
