/** Tests the rating of changes of tools by the recorded calls that each would have broken. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Change } from "#kit/diff/Change"
import { line } from "#kit/diff/Change"
import { changes as compare } from "#kit/diff/Changes"
import type { Snapshot, ToolPromise } from "#kit/diff/Snapshot"
import * as Replay from "#kit/replay/Replay"
import * as ChangeRatings from "#kit/report/ChangeRatings"
import * as Comparison from "#kit/report/Comparison"
import type { Conversation, RecordedMessage, RecordedTool } from "#kit/traffic/Conversation"
import { call, conversation, user } from "../replay/logs.ts"

const promise = (parameters: object, more: Partial<ToolPromise> = {}): ToolPromise => ({
  description: "Gets one.",
  // a test schema needs no more than its keywords
  parameters: parameters as ToolPromise["parameters"],
  access: "read",
  annotations: {},
  isGuarded: false,
  ...more
})

const object = (properties: object, required: ReadonlyArray<string> = [], more: object = {}) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
  ...more
})

const snapshot = (tools: Readonly<Record<string, ToolPromise>>): Snapshot => new Map(Object.entries(tools))

const listed = (tools: Snapshot): ReadonlyArray<RecordedTool> =>
  [...tools].map(([name, { access, description, parameters, result }]) => ({
    name,
    description,
    parameters,
    ...(access === undefined ? {} : { access }),
    ...(result === undefined ? {} : { result })
  }))

const log = (...messages: ReadonlyArray<ReadonlyArray<RecordedMessage>>): Conversation =>
  conversation([], [user("go"), ...messages.flat()])

const replayOf = (options: Replay.ReplayOptions) => Effect.runSync(Effect.scoped(Replay.make(options)))

/** Rates the changes by conversations, and returns the ratings by the lines of the changes. */
const rated = (before: Snapshot, after: Snapshot, ...conversations: ReadonlyArray<Conversation>) => {
  const changes = compare(before, after)
  const ratings = ChangeRatings.make({ before, after, changes }, (text) => text.replaceAll("secret", "[redacted]"))
  const removed = new Set([...before.keys()].filter((name) => !after.has(name)))
  const [one, other] = [replayOf({ listed: listed(before) }), replayOf({ listed: listed(after), removed })]
  for (const each of conversations) ratings.add(each, one.play(each), other.play(each))
  return { changes, ratings, of: (text: string) => ratings.ratingOf(found(changes, text)) }
}

const found = (changes: ReadonlyArray<Change>, text: string): Change => {
  const matching = changes.filter((change) => line(change).includes(text))
  const [only] = matching
  if (only === undefined || matching.length > 1)
    return assert.fail(`${matching.length} changes contain ${text}: ${changes.map(line).join("; ")}`)
  return only
}

/** Returns the rated lines with their numbers of broken calls. */
const counts = ({ changes, ratings }: ReturnType<typeof rated>) =>
  Object.fromEntries(changes.map((change) => [line(change), ratings.ratingOf(change).broken]))

/** Rates the changes of one tool by calls with these arguments, which the log answered. */
const byArguments = (before: object, after: object, ...all: ReadonlyArray<unknown>) =>
  counts(
    rated(
      snapshot({ get_it: promise(before) }),
      snapshot({ get_it: promise(after) }),
      log(...all.map((args) => call("get_it", args, "fine")))
    )
  )

const text = { type: "string" }

describe("13.4 recorded calls", () => {
  it("are counted, with the first place, if the old tool accepted them and the new tool refuses them", () => {
    const number = object({ n: { type: "number" } }, ["n"])
    const positive = object({ n: { type: "number", minimum: 1 } }, ["n"])
    const before = snapshot({ a: promise(number), b: promise(number) })
    const after = snapshot({ a: promise(positive), c: promise(number) })
    const at = (lineOf: number, ...messages: ReadonlyArray<ReadonlyArray<RecordedMessage>>) => ({
      ...log(...messages),
      place: { file: "log.jsonl", line: lineOf }
    })
    const { of, ratings } = rated(
      before,
      after,
      at(1, call("a", `{"n": 1}`, "1"), call("a", { n: "x" }, "Error: not a number", true), call("unknown", {}, "1")),
      at(
        2,
        call("a", `{"n": 0}`, "Error: internal", true),
        call("b", { n: 1 }, "1"),
        call("a", `{"n": -`),
        call("c", { n: 1 }, "1"),
        call("a", { n: -1 }, "secret -1"),
        call("a", { n: -1 }, "-1")
      )
    )
    assert.strictEqual(ratings.calls(), 8)
    const first = { file: "log.jsonl", line: 2, call: 1 }
    assert.deepStrictEqual(ratings.tools(), [
      { tool: "a", isGone: false, calls: 6, refused: 5, broken: 3, brokenResults: 0, first },
      { tool: "b", isGone: true, calls: 1, refused: 1, broken: 1, brokenResults: 0, first: { ...first, call: 2 } },
      { tool: "c", isGone: false, calls: 1, refused: 0, broken: 0, brokenResults: 0 }
    ])
    assert.deepStrictEqual(of("at least 1"), {
      calls: 6,
      broken: 3,
      answered: 2,
      example: { ...first, arguments: `{"n": 0}` }
    })
    assert.deepStrictEqual(of("was removed"), {
      calls: 1,
      broken: 1,
      answered: 1,
      example: { ...first, call: 2, arguments: `{"n":1}` }
    })
    assert.deepStrictEqual(of("is new"), { calls: 1, broken: 0, answered: 0 })
  })

  it("count each repeat, although the guard would stop them", () => {
    const seventeen = Array.from({ length: 17 }, () => ({ n: 0 }))
    const number = (minimum: number) => object({ n: { type: "integer", minimum } })
    assert.deepStrictEqual(byArguments(number(0), number(1), ...seventeen), {
      "parameters.n is now at least 1, was at least 0": 17
    })
  })
})

describe("13.4 the cause of a broken call", () => {
  it("is the change that the value at its place violates", () => {
    const before = object({
      status: { enum: ["open", "late", "lost"] },
      page: { type: "integer", maximum: 20 },
      note: text,
      tags: { type: "array", items: text },
      ratio: { type: "number" }
    })
    const after = object(
      {
        status: { enum: ["open"] },
        page: { type: "integer", maximum: 10 },
        tags: { type: "array", items: { type: "string", pattern: "^[a-z]+$" }, uniqueItems: true, maxItems: 3 },
        ratio: { type: "integer" },
        reason: text
      },
      ["reason"]
    )
    assert.deepStrictEqual(
      byArguments(
        before,
        after,
        { status: "late", page: 1 }, // late, reason
        { status: "lost", page: 11 }, // late, page, reason
        { page: 20, note: "a" }, // page, note, reason
        { tags: ["a", "A"] }, // pattern, reason
        { tags: ["a", "a", "b", "c"] }, // repeated, three, reason
        { ratio: 0.5 }, // ratio, reason
        { ratio: 2 } // reason
      ),
      {
        'parameters now requires "reason"': 7,
        'parameters.status no longer accepts "late", "lost"': 2,
        "parameters.page is now at most 10, was at most 20": 2,
        'parameters no longer has "note"': 1,
        "parameters.tags[] accepts only strings that match /^[a-z]+$/": 1,
        "parameters.tags no longer accepts repeated items": 1,
        "parameters.tags now has at most 3 items, had any number of items": 1,
        "parameters.ratio accepts only whole numbers": 1,
        'parameters has a new field "reason"': 0
      }
    )
  })

  it("is found in records, in lists of lists, at places with odd names, and in tuples", () => {
    const short = { type: "string", maxLength: 3 }
    const at = (leaf: object) =>
      object({
        "a.b c": leaf,
        byName: { type: "object", additionalProperties: leaf },
        matrix: { type: "array", items: { type: "array", items: leaf } },
        pair: { type: "array", prefixItems: [text, leaf], items: false }
      })
    const result = byArguments(
      at(text),
      at(short),
      { "a.b c": "long enough" },
      { byName: { a: "b", c: "long enough" } },
      { matrix: [["a"], ["b", "long enough"]] },
      { pair: ["long enough", "a"] },
      { pair: ["a", "long enough"] },
      { "a.b c": "abc", byName: {}, matrix: [[]] }
    )
    const expected = (path: string) => `parameters${path} now has at most 3 characters, had any number of characters`
    assert.deepStrictEqual(result, {
      [expected('["a.b c"]')]: 1,
      [expected(".byName.*")]: 1,
      [expected(".matrix[][]")]: 1,
      [expected(".pair[1]")]: 1
    })
  })

  it("is the change at the place of the fault if no change can be tested alone", () => {
    const numbers = (more: object) => object({ n: { type: "number", ...more }, m: { type: "number", maximum: 5 } })
    // 0 is in the old range, and is the open end of the new one
    const open = byArguments(numbers({ minimum: 0 }), numbers({ exclusiveMinimum: 0 }), { n: 0 }, { n: 1 }, { m: 9 })
    assert.deepStrictEqual(Object.values(open), [1])
    const shapes = (...extra: ReadonlyArray<object>) =>
      object({ shape: { anyOf: [object({ r: { type: "number" } }, ["r"]), ...extra] }, n: { type: "number" } })
    const alternatives = byArguments(
      shapes(object({ w: { type: "number" }, h: { type: "number" } }, ["w", "h"])),
      shapes(),
      { shape: { r: 1 } },
      { shape: { w: 1, h: 2 } },
      { n: 1 }
    )
    assert.deepStrictEqual(alternatives, {
      'parameters.shape now requires "r"': 1,
      'parameters.shape no longer has "h"': 1,
      'parameters.shape no longer has "w"': 1
    })
    const closed = byArguments(
      { ...object({ a: text }), additionalProperties: true },
      object({ a: text }),
      { b: 1 },
      { a: "" }
    )
    assert.deepStrictEqual(closed, { "parameters no longer accepts undeclared fields": 1 })
  })

  it("can be a behavioural change, which declares a field that accepted anything", () => {
    const open = { ...object({ a: text }), additionalProperties: true }
    const declared = { ...object({ a: text, b: { type: "integer" } }), additionalProperties: true }
    assert.deepStrictEqual(byArguments(open, declared, { b: "x" }, { b: 1 }, { c: "x" }), {
      'parameters now declares "b", which accepted any value': 1
    })
  })

  it("is the only change of the parameters if the fault is in a place inside a recursive schema", () => {
    const tree = (leaf: object) => ({
      ...object({ root: { $ref: "#/$defs/node" } }),
      $defs: { node: object({ name: leaf, children: { type: "array", items: { $ref: "#/$defs/node" } } }) }
    })
    const result = byArguments(
      tree(text),
      tree({ type: "string", maxLength: 2 }),
      { root: { name: "a", children: [{ children: [{ name: "abc" }] }] } },
      { root: { name: "abc" } },
      { root: { name: "ab" } }
    )
    assert.deepStrictEqual(Object.values(result), [2])
  })
})

describe("13.4 recorded results", () => {
  const parameters = object({ id: text })
  const returning = (result: object) => snapshot({ get_it: promise(parameters, { result: result as never }) })
  const results = (before: object, after: object, ...texts: ReadonlyArray<string>) =>
    rated(returning(before), returning(after), log(...texts.map((each, n) => call("get_it", { id: `${n}` }, each))))

  it("rate a narrower result by the calls that would fail, and a wider one by the results that the lock did not allow", () => {
    const nullable = object({ id: text, cents: { type: ["integer", "null"] } }, ["id"], { additionalProperties: true })
    const strict = object({ id: text, cents: { type: "integer" } }, ["id", "cents"], { additionalProperties: true })
    const texts = [`{"id":"secret","cents":null}`, `{"id":"b","cents":2}`, `{"id":"c"}`, "Error: not found", `{"id":7}`]
    const narrower = results(nullable, strict, ...texts)
    assert.deepStrictEqual(counts(narrower), {
      "result.cents is no longer null": 1,
      'result now always has "cents"': 1
    })
    assert.deepStrictEqual(narrower.of("null"), {
      calls: 4,
      broken: 1,
      answered: 1,
      example: {
        file: "log.jsonl",
        line: 1,
        call: 1,
        arguments: `{"id":"0"}`,
        result: `{"id":"[redacted]","cents":null}`
      }
    })
    assert.deepInclude(narrower.ratings.tools()[0], { calls: 5, refused: 0, broken: 2, brokenResults: 2 })
    const wider = results(strict, nullable, ...texts)
    assert.deepStrictEqual(counts(wider), { "result.cents may now be null": 1, 'result may now omit "cents"': 1 })
    assert.deepInclude(wider.ratings.tools()[0], { calls: 5, refused: 0, broken: 0, brokenResults: 0 })
  })

  it("count a call once if the new schemas refuse its arguments and its result", () => {
    const strict = { ...object({ id: text }, ["id"]) }
    const before = snapshot({ get_it: promise(object({ id: text }), { result: object({ id: text }) as never }) })
    const after = snapshot({ get_it: promise(strict, { result: strict as never }) })
    const { ratings } = rated(before, after, log(call("get_it", {}, "{}"), call("get_it", { id: "a" }, "{}")))
    assert.deepInclude(ratings.tools()[0], { calls: 2, refused: 1, broken: 2, brokenResults: 1 })
  })

  it("count the results that a new schema refuses if the lock has none", () => {
    const before = snapshot({ get_it: promise(parameters) })
    const after = returning(object({ id: text }, ["id"]))
    const { of, ratings } = rated(
      before,
      after,
      log(call("get_it", { id: "a" }, `{"id":"a"}`), call("get_it", {}, "{}"))
    )
    assert.strictEqual(of('always has "id"').broken, 1)
    assert.deepInclude(ratings.tools()[0], { broken: 1, brokenResults: 1 })
  })
})

describe("13.4 the rating", () => {
  it("agrees with the comparison of a replay under both versions", () => {
    const before = snapshot({ get_it: promise(object({ n: { type: "integer", maximum: 50 } })) })
    const after = snapshot({ get_it: promise(object({ n: { type: "integer", maximum: 20 } })) })
    const conversations = [1, 2, 3].map((seed) =>
      log(...Array.from({ length: 20 }, (_, n) => call("get_it", { n: (n * 7 * seed) % 53 }, `${n * seed}`)))
    )
    const { of } = rated(before, after, ...conversations)
    const versions = { before: "a", after: "b", tools: new Set(["get_it"]), added: [] }
    const comparison = Comparison.make(versions, (each) => each)
    const [one, other] = [replayOf({ listed: listed(before) }), replayOf({ listed: listed(after) })]
    for (const each of conversations) comparison.add(each, one.play(each), other.play(each))
    const { broken, causes } = comparison.comparison()
    assert.isAbove(broken, 20)
    assert.deepStrictEqual([of("at most 20").broken, of("at most 20").calls], [broken, 60])
    assert.deepStrictEqual(
      causes.map(({ cause, path }) => [cause, path]),
      [["arguments", "n"]]
    )
  })

  it("has short examples of hostile calls, and survives arguments of any form", () => {
    const strings = (maxLength: number) => object({ q: { type: "string", maxLength } })
    const { of, ratings } = rated(
      snapshot({ get_it: promise(strings(10_000_000)) }),
      snapshot({ get_it: promise(strings(3)) }),
      log(
        call("get_it", { q: `secret${"x".repeat(500_000)}` }, "fine"),
        call("get_it", "[".repeat(100_000), "fine"),
        call("get_it", '{"__proto__":{"q":"abcd"}}', "fine"),
        call("get_it", '{"q":"abcd","q":"a"}', "fine"),
        call("get_it", null, "fine"),
        call("get_it", "", "fine"),
        call("get_it", [1], "fine"),
        call("constructor", { q: "abcd" }, "fine")
      )
    )
    const { broken, calls, example } = of("at most 3")
    assert.deepStrictEqual([broken, calls, ratings.calls()], [1, 7, 7])
    assert.isAtMost(example?.arguments.length ?? 0, 300)
    assert.include(example?.arguments, "[redacted]")
  })
})
