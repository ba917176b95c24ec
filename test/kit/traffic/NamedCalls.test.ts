/** Tests how logs are read whose calls have their name in an unusual place, or no readable name. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fold from "#kit/report/Fold"
import * as Replay from "#kit/replay/Replay"
import * as FormatDetector from "#kit/traffic/formats/FormatDetector"
import { readAll, skipped } from "./lines.ts"

const user = (content: string) => ({ role: "user", content })
const calling = (...calls: ReadonlyArray<object>) => ({ role: "assistant", content: null, tool_calls: calls })
const answer = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content })

const read = (...messages: ReadonlyArray<object>) => readAll(FormatDetector.make(), { messages })

/** Reads messages, and returns the names, arguments and loops of the replayed calls. */
const replayed = (...messages: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    const replay = yield* Replay.make()
    const fold = Fold.make({ redact: (text) => text })
    for (const item of read(...messages)) {
      if (item._tag === "Conversation") fold.add(item, replay.play(item))
      else fold.skip(item)
    }
    const { loops, skipped, tools } = fold.report()
    return { tools: tools.map(({ calls, tool }) => [tool, calls]), loops: loops.total, skipped: skipped.total }
  }).pipe(Effect.scoped)

/** Creates three rounds of different calls with equal answers. */
const threeParcels = (call: (id: string, args: object) => object) =>
  ["P-1", "P-2", "P-3"].flatMap((id) => [calling(call(id, { id })), answer(id, "none")])

describe("a call whose function is a text", () => {
  it.effect("13.1 has its name and its arguments, so that different calls are no loop", () =>
    Effect.gen(function* () {
      for (const field of ["args", "arguments", "input"]) {
        const messages = threeParcels((id, args) => ({ id, function: "get_parcel", [field]: args }))
        const report = yield* replayed(user("Where are my parcels?"), ...messages)
        assert.deepStrictEqual(report, { tools: [["get_parcel", 3]], loops: 0, skipped: 0 }, field)
      }
    })
  )
})

describe("a call without a readable name", () => {
  it.effect("13.1 is skipped and reported, and never counts as identical to another", () =>
    Effect.gen(function* () {
      const messages = threeParcels((id, args) => ({ id, action: { called: "get_parcel", args } }))
      const report = yield* replayed(user("Where are my parcels?"), ...messages)
      assert.deepStrictEqual(report, { tools: [], loops: 0, skipped: 1 })
    })
  )

  it("13.1 takes its answer along, and the other calls of its message keep theirs", () => {
    const named = { id: "b", function: { name: "get_b", arguments: "{}" } }
    const [conversation, ...reports] = read(
      user("Go"),
      calling({ id: "a", action: "get_a" }, named),
      answer("", "of a"),
      answer("b", "of b"),
      calling({ id: "c" }),
      answer("c", "of c")
    )
    assert.deepStrictEqual(conversation?._tag === "Conversation" ? conversation.messages : [], [
      { role: "user", text: "Go" },
      { role: "assistant", text: "", calls: [{ id: "b", name: "get_b", arguments: "{}" }] },
      { role: "tool", callId: "b", text: "of b" },
      { role: "assistant", text: "", calls: [] }
    ])
    assert.deepStrictEqual(reports, [
      skipped(1, "2 calls have no readable name and were skipped, the first after 1 readable message.")
    ])
  })
})
