/** Tests the conversations in a report, call by call. */
import * as Details from "#kit/report/Details"
import type { Conversation } from "#kit/traffic/Conversation"
import { assert, describe, it } from "@effect/vitest"

const conversation: Conversation = {
  _tag: "Conversation",
  id: "monday/1",
  place: { file: "monday.jsonl", line: 1 },
  tools: [],
  messages: []
}

/** Creates replayed calls, some of which failed. */
const played = (count: number, isFailed: (number: number) => boolean) =>
  Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    turn: 1,
    round: 1,
    tool: "search_orders",
    arguments: "{}",
    answer: { text: "" },
    loggedEnd: isFailed(index + 1)
      ? { _tag: "Failure", class: "Transient", code: "unavailable", detail: "" }
      : { _tag: "Success" },
    record: { outcome: { _tag: "Success" } },
    tally: { failure: undefined, isPage: false, retries: 0, refusal: undefined, saving: undefined },
    isSuspect: false
  }))

/** Returns the numbers of the listed calls, and the number of all calls. */
const shownOf = (count: number, isFailed: (number: number) => boolean) => {
  const details = Details.make((text) => text)
  // the report reads only these fields of a call
  details.add(conversation, { turns: 1, rounds: 1, calls: played(count, isFailed), saved: [] } as never)
  const [detail] = details.value().shown
  return { count: detail?.count, calls: detail?.calls.map(({ call }) => call) ?? [] }
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe("the calls of a conversation in a report", () => {
  it("13.1 are all listed if there are at most 200", () => {
    assert.deepStrictEqual(
      shownOf(200, (number) => number === 7),
      { count: 200, calls: range(1, 200) }
    )
  })

  it("13.1 are chosen by findings first if there are more than 200, and listed in their order", () => {
    const few = shownOf(450, (number) => number > 440)
    assert.deepStrictEqual(few, { count: 450, calls: [...range(1, 190), ...range(441, 450)] })
    const many = shownOf(450, (number) => number > 100)
    assert.deepStrictEqual(many, { count: 450, calls: range(101, 300) })
  })

  it("13.1 are omitted if none has a finding", () => {
    assert.deepStrictEqual(
      shownOf(5, () => false),
      { count: undefined, calls: [] }
    )
  })
})
