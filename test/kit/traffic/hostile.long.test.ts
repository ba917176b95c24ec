/** Tests the readers with malformed and hostile lines. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { CallRecord } from "#domain/call/CallRecord"
import * as FormatDetector from "#kit/traffic/formats/FormatDetector"
import * as Mapped from "#kit/traffic/formats/Mapped"
import { readerOf } from "#kit/traffic/formats/Readers"
import * as Mapping from "#kit/traffic/Mapping"
import type { Item, Reader } from "#kit/traffic/Reader"
import { type FormatName, names } from "#kit/traffic/Format"
import { readAll } from "./lines.ts"
import { samples } from "./samples.ts"

const Place = Schema.Struct({ file: Schema.String, line: Schema.Int })
const { attempts, crash, decisions, notEnforced, outcome, resultDigest, sideEffect, usedFallback } = CallRecord.fields
const End = Schema.toType(
  Schema.Struct({ attempts, crash, decisions, notEnforced, outcome, resultDigest, sideEffect, usedFallback })
)
const Call = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  arguments: Schema.Unknown,
  end: Schema.optionalKey(End)
})
const Tokens = Schema.Struct({ input: Schema.Int, output: Schema.Int })
const Tool = Schema.Struct({
  name: Schema.NonEmptyString,
  description: Schema.optionalKey(Schema.String),
  parameters: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  result: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  access: Schema.optionalKey(Schema.Literals(["read", "write", "destructive"]))
})
const Message = Schema.Union([
  Schema.Struct({ role: Schema.Literal("system"), text: Schema.String }),
  Schema.Struct({
    role: Schema.Literal("user"),
    text: Schema.String,
    texts: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  Schema.Struct({
    role: Schema.Literal("assistant"),
    text: Schema.String,
    calls: Schema.Array(Call),
    isCut: Schema.optionalKey(Schema.Boolean),
    usage: Schema.optionalKey(Tokens)
  }),
  Schema.Struct({
    role: Schema.Literal("tool"),
    callId: Schema.String,
    text: Schema.String,
    isError: Schema.optionalKey(Schema.Boolean),
    at: Schema.optionalKey(Schema.Finite),
    isFromUser: Schema.optionalKey(Schema.Literal(true))
  })
])
const WellFormed = Schema.Union([
  Schema.TaggedStruct("Skipped", { place: Place, reason: Schema.String.check(Schema.isPattern(/^[A-Z0-9].*\.$/su)) }),
  Schema.TaggedStruct("Conversation", {
    id: Schema.NonEmptyString,
    place: Place,
    model: Schema.optionalKey(Schema.String),
    tools: Schema.Array(Tool),
    messages: Schema.NonEmptyArray(Message)
  })
])
const decode = Schema.decodeUnknownSync(WellFormed, { onExcessProperty: "error" })

/** Asserts that the items match their types. */
const isWellFormed = (items: ReadonlyArray<Item>): void => {
  for (const item of items) assert.deepStrictEqual<unknown>(decode(item), item)
}

/** Maps lines in the form of message-lines, and in the form of OpenAI's requests. */
const mappings = [
  {
    role: "role",
    text: "content",
    calls: { list: "tool_calls", name: "function.name", arguments: "function.arguments" }
  },
  {
    messages: "messages",
    role: "role",
    text: "content",
    results: { list: "content", call: "tool_use_id", text: "content" }
  }
].map((value) => Result.getOrThrow(Mapping.read(value)))

const readers = (): ReadonlyArray<Reader> => [
  ...names.map((name) => readerOf[name]()),
  ...mappings.map((mapping) => Mapped.reader(mapping)),
  FormatDetector.make()
]

type Node = { readonly parent: any; readonly key: string | number }

/** Returns every path in a value that can be changed. */
const nodesOf = (value: unknown): ReadonlyArray<Node> => {
  const nodes: Array<Node> = []
  const walk = (parent: unknown): void => {
    if (typeof parent !== "object" || parent === null) return
    for (const key of Object.keys(parent)) {
      nodes.push({ parent, key: Array.isArray(parent) ? Number(key) : key })
      walk((parent as Record<string, unknown>)[key])
    }
  }
  walk(value)
  return nodes
}

const Change = Schema.Struct({
  where: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })),
  how: Schema.Literals(["replace", "remove", "repeat", "swap", "text"]),
  other: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })),
  json: Schema.Json
})

/** Returns a copy of a line with one change. */
const changed = (line: unknown, { how, json, other, where }: typeof Change.Type): unknown => {
  const copy = { line: structuredClone(line) as any } // a path may lead to any part of it
  const nodes = nodesOf(copy)
  const { key, parent } = nodes[where % nodes.length]!
  const elsewhere = nodes[other % nodes.length]!
  const value = elsewhere.parent[elsewhere.key]
  if (how === "replace") parent[key] = json
  else if (how === "text") parent[key] = String(parent[key])
  else if (how === "swap") parent[key] = structuredClone(value)
  else if (how === "remove") {
    if (Array.isArray(parent)) parent.splice(Number(key), 1)
    else delete parent[key]
  } else if (Array.isArray(parent)) parent.push(structuredClone(parent[Number(key)]))
  else parent[key] = [parent[key], parent[key]]
  return copy.line
}

describe("readers given hostile lines", () => {
  it("13.1 read their samples without skipping a line", () => {
    for (const name of names) {
      const items = readAll(readerOf[name](), ...samples[name])
      isWellFormed(items)
      assert.deepStrictEqual(
        items.filter(({ _tag }) => _tag === "Skipped"),
        [],
        name
      )
      const messages = items.flatMap((item) => (item._tag === "Conversation" ? item.messages : []))
      assert.isTrue(
        messages.some((message) => message.role === "assistant" && message.calls.length > 0),
        name
      )
      assert.isTrue(
        messages.some(({ role }) => role === "tool"),
        name
      )
    }
  })

  it.prop("13.1 never throw, and return well-formed items for any JSON", [Schema.Array(Schema.Json)], ([values]) => {
    for (const reader of readers()) isWellFormed(readAll(reader, ...values))
  })

  it.prop(
    "13.1 never throw, and return well-formed items for changed lines",
    [Schema.Literals(names as [FormatName, ...Array<FormatName>]), Schema.NonEmptyArray(Change)],
    ([name, changes]) => {
      for (const reader of readers()) {
        const lines = samples[name].map((line, index) => changed(line, changes[index % changes.length]!))
        isWellFormed(readAll(reader, ...lines, ...samples[name]))
      }
    },
    { arbitrary: { runs: 300 } }
  )

  it("13.1 never throw for values that are nested too deeply to serialise", () => {
    const deep = (levels: number, inner: unknown): unknown => {
      let value = inner
      for (let i = 0; i < levels; i++) value = [value]
      return value
    }
    const nested = deep(50_000, 1)
    const wrappedDeep = { arrayValue: { values: [] as Array<unknown> } }
    let at = wrappedDeep
    for (let i = 0; i < 50_000; i++) {
      const inner = { arrayValue: { values: [] } }
      at.arrayValue.values.push(inner)
      at = inner
    }
    for (const name of names) {
      for (const line of samples[name]) {
        for (let where = 0; where < nodesOf({ line }).length; where++) {
          const copy = { line: structuredClone(line) }
          const { key, parent } = nodesOf(copy)[where]!
          parent[key] = where % 2 === 0 ? nested : wrappedDeep
          for (const reader of readers()) {
            for (const value of [copy.line, copy.line]) reader.read(value, { file: "f", line: 1 })
            reader.end()
          }
        }
      }
    }
  })

  it("13.1 treat names of prototype properties as ordinary names", () => {
    const line = JSON.parse(
      '{"id":"1","__proto__":{"messages":1},"constructor":{"prototype":{}},"messages":[{"role":"user","content":"Hi","__proto__":{"role":"tool"}},{"role":"__proto__"},{"role":"toString"},{"role":"assistant","tool_calls":[{"id":"__proto__","function":{"name":"constructor","arguments":"{\\"__proto__\\":1}"}}]}],"tools":[{"function":{"name":"__proto__"}},{"function":{"name":"constructor"}},{"function":{"name":"constructor"}}]}'
    )
    const [lost, item] = readAllRaw(readerOf.openai(), line)
    assert.deepStrictEqual(item?._tag === "Conversation" && [item.messages, item.tools], [
      [
        { role: "user", text: "Hi" },
        {
          role: "assistant",
          text: "",
          calls: [{ id: "__proto__", name: "constructor", arguments: '{"__proto__":1}' }]
        }
      ],
      [{ name: "__proto__" }, { name: "constructor" }, { name: "constructor" }]
    ])
    assert.strictEqual(lost?._tag, "Skipped")
  })
})

const readAllRaw = (reader: Reader, value: unknown): ReadonlyArray<Item> => [
  ...reader.read(value, { file: "f", line: 1 }),
  ...reader.end()
]
