/** Tests that the recorder collects results by tool, in bounded memory. */
import { assert, describe, it } from "@effect/vitest"
import { Recorder } from "#kit/infer/RecordedResults"
import { conversation, record, times } from "./support.ts"

const texts = (recorder: Recorder) => recorder.tools.flatMap(({ texts }) => [...texts.keys()])

describe("Recorder", () => {
  it("13.2 assigns a result to the tool whose call it answers", () => {
    const recorder = new Recorder()
    const calls = (...names: ReadonlyArray<readonly [id: string, name: string]>) =>
      ({ role: "assistant", text: "", calls: names.map(([id, name]) => ({ id, name, arguments: "" })) }) as const
    const answer = (callId: string, text: string) => ({ role: "tool", callId, text }) as const
    recorder.add(
      conversation([
        calls(["1", "b"], ["2", "a"]),
        answer("2", "of a"),
        answer("1", "of b"),
        calls(["1", "c"]),
        answer("1", "of c"),
        calls(["", "d"], ["", "e"]),
        answer("", "of d"),
        answer("", "of e"),
        answer("9", "of no call")
      ])
    )
    assert.deepStrictEqual(
      recorder.tools.map(({ texts, tool }) => [tool, [...texts.keys()]]),
      [
        ["a", ["of a"]],
        ["b", ["of b"]],
        ["c", ["of c"]],
        ["d", ["of d"]],
        ["e", ["of e"]]
      ]
    )
    assert.strictEqual(recorder.results, 5)
  })

  it("13.2 counts results, conversations and errors, and keeps equal texts once", () => {
    const recorder = record(new Recorder(), ["x", "x", "y"])
    record(recorder, ["z"], { isError: true })
    const [tool] = recorder.tools
    assert.deepStrictEqual([tool?.results, tool?.conversations, tool?.errors], [4, 4, 1])
    assert.deepStrictEqual(
      [...(tool?.texts.values() ?? [])].map(({ conversations, count, text }) => [text, count, conversations]),
      [
        ["x", 2, 2],
        ["y", 1, 1]
      ]
    )
  })

  it("13.2 keeps a bounded, fair and stable sample of many results", () => {
    const all = times(20_000, (n) => `result ${n}`)
    const kept = texts(record(new Recorder(), all))
    assert.strictEqual(kept.length, 4_000)
    const late = kept.filter((text) => Number(text.slice(7)) >= 10_000).length
    assert.isTrue(late > 1_850 && late < 2_150, `${late} of 4,000`)
    const again = texts(record(new Recorder(), all.toReversed()))
    assert.deepStrictEqual(again.toSorted(), kept.toSorted())
  })

  it("13.2 keeps fewer results if they are very long", () => {
    const long = times(40, (n) => `${n} ${"x".repeat(1_000_000)}`)
    assert.strictEqual(texts(record(new Recorder(), long)).length, 15)
  })
})
