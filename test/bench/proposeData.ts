/** Creates faults in recorded results, for the test and the figures of `toolguard replay --propose`. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import * as Traffic from "#kit/cli/traffic/Traffic"
import { infer } from "#kit/infer/infer"
import { readResult } from "#kit/infer/inferResult"
import { Recorder } from "#kit/infer/RecordedResults"
import { toSchema } from "#kit/infer/toSchema"
import { classify } from "#kit/replay/RecordedAnswer"
import { resultSchema } from "#domain/schema/Contract"
import { kinds, type Outcome, random, runCase } from "./proposeCases.ts"

/** The number of results of a tool that a case uses. */
const maxResults = 20
/** The minimum number of different results of a tool. */
const minResults = 10

interface Tool {
  readonly schema: Readonly<Record<string, unknown>>
  readonly results: ReadonlyArray<unknown>
}

/** Reads the tools of a file that return JSON, with the schema that `infer` proposes for their results. */
const toolsOf = async (file: string): Promise<ReadonlyArray<Tool>> => {
  const recorder = new Recorder()
  await Effect.runPromise(
    Stream.runForEach(Traffic.stream([file], {}), ({ items }) =>
      Effect.sync(() => items.forEach((item) => item._tag === "Conversation" && recorder.add(item)))
    )
  )
  const recorded = recorder.tools
  return infer(recorded).tools.flatMap(({ answers, isRepr, shape, tool }): ReadonlyArray<Tool> => {
    if (answers !== "json" || isRepr) return []
    const texts = [...(recorded.find((one) => one.tool === tool)?.texts.keys() ?? [])]
    const results = texts.flatMap((text): ReadonlyArray<unknown> => {
      const read = readResult(text)
      const isFine = classify({ tool: "get_thing", text, isError: false, arguments: {} })._tag === "Success"
      return read._tag === "Json" && isFine ? [read.value] : []
    })
    if (results.length < minResults) return []
    return [{ schema: resultSchema(toSchema(shape)).jsonSchema2020, results: results.slice(0, maxResults) }]
  })
}

/** Breaks the results of every tool of a folder's files, once in each way that is possible. */
export const runRecorded = async (folder: string, seed: number): Promise<ReadonlyArray<Outcome>> => {
  const next = random(seed)
  const outcomes: Array<Outcome> = []
  for (const name of readdirSync(folder)
    .filter((file) => file.endsWith(".jsonl.gz"))
    .sort()) {
    for (const { results, schema } of await toolsOf(join(folder, name))) {
      for (const kind of kinds) {
        const outcome = runCase(schema, results, kind, next)
        if (outcome !== undefined) outcomes.push(outcome)
      }
    }
  }
  return outcomes
}
