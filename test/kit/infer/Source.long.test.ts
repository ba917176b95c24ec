/** Tests the generated module: it compiles, is formatted, has the inferred schemas, and works in a guarded tool. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema, Stream } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { infer, type InferredResults } from "#kit/infer/infer"
import { readResult } from "#kit/infer/inferResult"
import { Recorder } from "#kit/infer/RecordedResults"
import { plain } from "#kit/infer/Sample"
import { source } from "#kit/infer/Source"
import { toSchema } from "#kit/infer/toSchema"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Traffic from "#kit/cli/traffic/Traffic"
import { data, recordedData } from "../../support/data.ts"
import { needs } from "../../support/prerequisites.ts"
import { root } from "../../support/sources.ts"
import { node, tsc } from "../../support/tools.ts"
import { record, times } from "./support.ts"

/** Records results with names and values that are hard to print. */
const hardToPrint = (): Recorder => {
  const names = ["", "a-b", 'it\'s "q"', "*/", "line\nbreak", "123", "ß", "class", "constructor", "\u2028", "a'b"]
  const object = (n: number) => Object.fromEntries(names.map((name, index) => [name, index % 2 === 0 ? n : `v${n} */`]))
  const recorder = new Recorder()
  const tools = ["class", "123", "日本", "Schema", "a/b", "a_b", "*/", "get_", "String", "x".repeat(300), "line\nbreak"]
  for (const tool of tools) record(recorder, times(6, object), { tool })
  record(
    recorder,
    times(60, (n) => ({ [`${"long".repeat(20)}`]: n % 2 === 0 ? "one_value" : "other_value" })),
    { tool: "wide" }
  )
  record(
    recorder,
    times(60, (n) => ({ kind: n % 2 === 0 ? "it" : "that", [`deep${n % 2}`]: { deep: { deep: [[{ x: n }]] } } })),
    { tool: "deep" }
  )
  record(
    recorder,
    times(90, (n) => (n % 2 === 0 ? "very_long_word_number_one" : "another_long_word_number_two")),
    { tool: "words" }
  )
  const many = times(14, (n) => `status_with_a_name_of_length_${"abcdefghijklmn"[n]}`)
  record(
    recorder,
    times(900, (n) => ({
      n,
      status: many[n % 14],
      ...(n % 3 === 0 ? {} : { state: n % 5 === 0 ? null : many[n % 14] })
    })),
    { tool: "many" }
  )
  record(
    recorder,
    times(9, (n) => ({ response: `{'id': ${n}}` })),
    { tool: "repr" }
  )
  const node = (n: number, depth: number): object => ({
    "the name": `n${n}`,
    status: many[n % 14],
    held: JSON.stringify({ n }),
    parent: n % 2 === 0 ? null : { at: n },
    ...(depth === 0 ? {} : { "inner nodes": times(2, (each) => node(n * 2 + each, depth - 1)) })
  })
  record(
    recorder,
    times(120, (n) => node(n, 2)),
    { tool: "tree" }
  )
  record(
    recorder,
    times(9, (n) => ({ n, tree: node(n, 1), next: { n, tree: node(n, 2), next: null } })),
    { tool: "trees" }
  )
  return recorder
}

const recordedIn = async (file: string): Promise<Recorder> => {
  const recorder = new Recorder()
  for await (const { items } of Stream.toAsyncIterable(Traffic.stream([file]))) {
    for (const item of items) if (item._tag === "Conversation") recorder.add(item)
  }
  return recorder
}

const sources = ["coding", "livemcpbench", "openhands", "recorded-tests", "tau-bench-airline", "tau2-airline"]

const recordings = async (): Promise<ReadonlyMap<string, Recorder>> => {
  const found = new Map<string, Recorder>()
  for (const name of [...sources, "tau2-telecom", "toolbench"]) {
    found.set(name, await recordedIn(join(data, `traffic/${name}.jsonl.gz`)))
  }
  return found
}

/** Returns the JSON Schema of each exported schema of a module, by name. */
const exported = async (path: string): Promise<Readonly<Record<string, unknown>>> =>
  Object.fromEntries(
    // every export of a generated module is a schema
    Object.entries((await import(/* @vite-ignore */ pathToFileURL(path).href)) as Record<string, Schema.Top>).map(
      ([name, schema]) => [name, Schema.toJsonSchemaDocument(schema)]
    )
  )

/** Defines the tests of every proposed module. The modules are written to one folder and compiled together. */
const proposedModules = (all: ReadonlyMap<string, Recorder>) => {
  const folder = mkdtempSync(join(root, "test/.inferred-"))
  afterAll(() => rmSync(folder, { recursive: true }))
  const proposals = new Map<string, InferredResults>(
    [...all].map(([name, recorder]) => [name, infer(recorder.tools, { minSamples: 1 })])
  )
  const path = (name: string) => join(folder, `${name}.ts`)
  for (const [name, inferred] of proposals) writeFileSync(path(name), source(inferred))

  it("13.2 compiles under strict TypeScript", async () => {
    const files = [...proposals.keys()].map((name) => `${name}.ts`)
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: "../../tsconfig.json", files, include: [] }))
    const { code, stdout } = await tsc(["--noEmit", "-p", "."], folder)
    assert.deepStrictEqual([code, stdout], [0, ""])
  })

  it("13.2 is formatted like the sources", async () => {
    const before = new Map([...proposals.keys()].map((name) => [name, readFileSync(path(name), "utf8")]))
    const copies = [...before].map(([name, text]) => {
      const copy = join(root, `test/.inferred-${process.pid}-${name}.ts`)
      writeFileSync(copy, text)
      return copy
    })
    try {
      const { code, stdout } = await node([join(root, "node_modules/oxfmt/bin/oxfmt"), "--list-different", ...copies])
      assert.deepStrictEqual([code, stdout.trim()], [0, ""])
    } finally {
      for (const copy of copies) rmSync(copy)
    }
  })

  for (const [name, inferred] of proposals) {
    it(`13.2 has the inferred schema: ${name}`, async () => {
      const found = await exported(path(name))
      const wanted = inferred.tools.map(({ answers, shape }) =>
        answers === "json" ? Schema.toJsonSchemaDocument(toSchema(shape)) : undefined
      )
      const successes = Object.entries(found).filter(([each]) => each.endsWith("Success") || /Success\d+$/.test(each))
      assert.strictEqual(successes.length, inferred.tools.length)
      assert.deepStrictEqual(
        successes.flatMap(([, schema], index) => (wanted[index] === undefined ? [] : [schema])),
        wanted.filter((schema) => schema !== undefined)
      )
    })

    it(`13.2 accepts every result that it was inferred from: ${name}`, () => {
      const refused = inferred.tools.flatMap(({ answers, shape, tool }) => {
        const decode = Schema.decodeUnknownResult(Schema.toCodecJson(toSchema(shape)))
        const texts = [
          ...(all
            .get(name)
            ?.tools.find((each) => each.tool === tool)
            ?.texts.keys() ?? [])
        ]
        return texts.flatMap((text) => {
          const reading = readResult(text)
          if (reading._tag !== "Json" && (answers === "json" || reading._tag !== "Text")) return []
          const decoded = decode(answers === "text" ? text : reading._tag === "Json" ? plain(reading.value) : text)
          return Result.isFailure(decoded) ? [`${tool}: ${decoded.failure}`] : []
        })
      })
      assert.deepStrictEqual(refused, [])
    })
  }

  it("13.2 works as the success schema of a guarded tool that returns the recorded texts", async () => {
    const modules = new Map<string, Readonly<Record<string, Schema.Codec<unknown, unknown>>>>()
    for (const name of proposals.keys())
      modules.set(name, await import(/* @vite-ignore */ pathToFileURL(path(name)).href))
    for (const [name, inferred] of proposals) {
      const successes = Object.entries(modules.get(name) ?? {}).filter(([each]) => /Success\d*$/.test(each))
      for (const [index, { answers, isRepr, tool }] of inferred.tools.entries()) {
        const [, success] = successes[index] ?? []
        if (isRepr || success === undefined) continue
        const good = [
          ...(all
            .get(name)
            ?.tools.find((each) => each.tool === tool)
            ?.texts.keys() ?? [])
        ].filter((text) => readResult(text)._tag === "Json" || (answers === "text" && readResult(text)._tag === "Text"))
        for (const text of good.slice(0, 5)) {
          class Recorded extends GuardedTool.Service<Recorded>()("read_recorded", {
            description: "Reads a recorded result. Read-only.",
            access: "read",
            parameters: Schema.Struct({}),
            success
          }) {}
          const answer = Recorded.layerTest(() => Effect.succeed(text))
          const exit = await Effect.runPromise(
            Effect.result(Effect.provide(Recorded.call({}), [answer, Guard.layerMemory]))
          )
          assert.strictEqual(exit._tag, "Success", `${name} ${tool}: ${text.slice(0, 200)} ${JSON.stringify(exit)}`)
        }
      }
    }
  })
}

describe("the module proposed for unusual names and values", () =>
  proposedModules(new Map([["hardToPrint", hardToPrint()]])))

describe("the modules proposed for recorded results", needs(recordedData), async () =>
  proposedModules(recordedData.absent === undefined ? await recordings() : new Map())
)
