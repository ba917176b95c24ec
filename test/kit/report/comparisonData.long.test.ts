/** Tests the comparison of recorded traffic under its own schema and a tightened one, against counts made without it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import * as Traffic from "#kit/cli/traffic/Traffic"
import * as Replay from "#kit/replay/Replay"
import * as Comparison from "#kit/report/Comparison"
import { data, recordedData } from "../../support/data.ts"
import { needs } from "../../support/prerequisites.ts"

const file = join(data, "traffic/tau-bench-airline.jsonl.gz")
const name = "search_direct_flight"
const airports = ["JFK", "LAX", "SFO", "ATL", "ORD"]

interface RecordedLine {
  readonly tools: ReadonlyArray<{ readonly function: { readonly name: string; readonly parameters: any } }>
  readonly messages: ReadonlyArray<{
    readonly tool_calls?: ReadonlyArray<{
      readonly id: string
      readonly function: { readonly name: string; readonly arguments: string }
    }> | null
    readonly tool_call_id?: string
    readonly content?: string | null
  }>
}

/** Counts calls by reading the file as JSON lines. An answer is good unless it starts with `Error`. */
const countByHand = () => {
  const lines = gunzipSync(readFileSync(file)).toString("utf8").trim().split("\n")
  const counts = { calls: 0, refused: 0, answered: 0 }
  for (const line of lines) {
    // the readme of the data describes these fields
    const { messages } = JSON.parse(line) as RecordedLine
    for (const [at, { tool_calls: calls }] of messages.entries()) {
      for (const call of calls ?? []) {
        if (call.function.name !== name) continue
        counts.calls += 1
        if (airports.includes(JSON.parse(call.function.arguments).origin)) continue
        counts.refused += 1
        const answer = messages.slice(at).find(({ tool_call_id: id }) => id === call.id)
        if (answer !== undefined && !(answer.content ?? "").startsWith("Error")) counts.answered += 1
      }
    }
  }
  return counts
}

describe("the comparison of recorded traffic", needs(recordedData), () => {
  it.effect("13.1 a tightened enum refuses as many calls as the file has values outside of it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const expected = countByHand()
        assert.isAbove(expected.refused, 10)
        assert.isAbove(expected.calls, expected.refused)
        const first = gunzipSync(readFileSync(file)).toString("utf8").split("\n")[0] ?? ""
        const recorded = (JSON.parse(first) as RecordedLine).tools.find((tool) => tool.function.name === name)
        const { parameters } = recorded?.function ?? assert.fail("the log does not list the tool")
        const { origin } = parameters.properties
        const properties = { ...parameters.properties, origin: { ...origin, enum: airports } }
        const listed = [{ name, parameters: { ...parameters, properties } }]
        const before = yield* Replay.make()
        const after = yield* Replay.make({ listed })
        const versions = { before: "the log", after: "tightened", tools: new Set([name]), added: [] }
        const fold = Comparison.make(versions, (text) => text)
        yield* Stream.runForEach(Traffic.stream([file], {}), ({ items }) =>
          Effect.sync(() => {
            for (const item of items) {
              if (item._tag === "Conversation") fold.add(item, before.play(item), after.play(item))
            }
          })
        )
        const { calls, causes } = fold.comparison()
        assert.strictEqual(calls, expected.calls)
        const row = causes.find(({ cause }) => cause === "arguments")
        assert.deepStrictEqual(
          [row?.tool, row?.path, row?.rule, row?.count, row?.answered],
          [name, "origin", "not one of 5 values", expected.refused, expected.answered]
        )
      })
    )
  )
})
