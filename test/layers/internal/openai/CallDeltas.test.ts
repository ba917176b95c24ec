import { assert, describe, it } from "@effect/vitest"
import * as CallDeltas from "#layers/internal/openai/CallDeltas"

interface Delta {
  readonly index?: number
  readonly id?: string
  readonly name?: string
  readonly args?: unknown
}

/** Reads pieces, each in a separate chunk, and returns the id, name and arguments text of each call. */
const collect = (deltas: ReadonlyArray<Delta>, seen: ReadonlyArray<string> = []) => {
  const calls = CallDeltas.make(new Set(seen))
  const shown = deltas.flatMap(({ args, id, index, name }) =>
    calls.push([{ index, id, function: { name, arguments: args } }])
  )
  const ended = calls.finish()
  // the deltas of a call together are its arguments
  const texts = new Map<string, string>()
  for (const part of [...shown, ...ended]) {
    if (part.type === "tool-params-start") texts.set(part.id, "")
    if (part.type === "tool-params-delta") texts.set(part.id, (texts.get(part.id) ?? "") + part.delta)
  }
  return ended.flatMap((part) => (part.type === "tool-call" ? [[part.id, part.name, texts.get(part.id)]] : []))
}

const a = '{"q":"a"}'
const b = '{"q":"b"}'

describe("CallDeltas", () => {
  it("9.2 merges pieces by index, even if they are interleaved", () => {
    assert.deepStrictEqual(
      collect([
        { index: 0, id: "c1", name: "search", args: "" },
        { index: 1, id: "c2", name: "read", args: '{"q"' },
        { index: 0, args: '{"q":' },
        { index: 1, args: ':"b"}' },
        { index: 0, args: '"a"}' }
      ]),
      [
        ["c1", "search", a],
        ["c2", "read", b]
      ]
    )
  })

  it("9.2 reads a hundred thousand calls of one answer", () => {
    const calls = CallDeltas.make(new Set())
    const all = Array.from({ length: 100_000 }, (_, index) => ({ index, id: `c${index}`, function: { name: "f" } }))
    calls.push(all)
    calls.push(all.map(({ index }) => ({ index, function: { arguments: "{}" } })))
    assert.strictEqual(calls.state(), "complete")
    assert.strictEqual(calls.finish().filter(({ type }) => type === "tool-call").length, 100_000)
  })

  it("9.2 distinguishes calls with the same index, complete or in pieces", () => {
    const expected = [
      ["c1", "search", a],
      ["c2", "search", b],
      ["c3", "search", "{}"]
    ]
    assert.deepStrictEqual(
      collect([
        { index: 0, id: "c1", name: "search", args: a },
        { index: 0, id: "c2", name: "search", args: b },
        { index: 0, id: "c3", name: "search", args: "{}" }
      ]),
      expected
    )
    assert.deepStrictEqual(
      collect([
        { index: 0, id: "c1", name: "search", args: "" },
        { index: 0, args: '{"q":' },
        { index: 0, args: '"a"}' },
        { index: 0, id: "c2", name: "search", args: "" },
        { index: 0, args: b },
        { index: 0, id: "c3", name: "search", args: "{" },
        { index: 0, args: "}" }
      ]),
      expected
    )
  })

  it("9.2 uses the id if all pieces have the same index", () => {
    assert.deepStrictEqual(
      collect([
        { index: 0, id: "c1", name: "search", args: '{"q":' },
        { index: 0, id: "c2", name: "read", args: '{"q":' },
        { index: 0, id: "c1", args: '"a"}' },
        { index: 0, id: "c2", args: '"b"}' }
      ]),
      [
        ["c1", "search", a],
        ["c2", "read", b]
      ]
    )
  })

  it("9.2 reads pieces without an index", () => {
    assert.deepStrictEqual(
      collect([
        { id: "c1", name: "search", args: '{"q":' },
        { args: '"a"}' },
        { id: "c2", name: "search", args: '{"q":' },
        { id: "c2", args: '"b"}' }
      ]),
      [
        ["c1", "search", a],
        ["c2", "search", b]
      ]
    )
  })

  it("9.2 assigns a piece with an unknown index to the call with its id, or to the latest call", () => {
    assert.deepStrictEqual(
      collect([
        { index: 0, id: "c1", name: "search", args: '{"q":' },
        { index: 1, id: "c2", name: "read", args: '{"q":' },
        { index: 7, args: '"b"}' },
        { index: 8, id: "c1", args: '"a"}' }
      ]),
      [
        ["c1", "search", a],
        ["c2", "read", b]
      ]
    )
  })

  it("9.2 reads servers that repeat id and name in every piece", () => {
    assert.deepStrictEqual(
      collect([
        { index: 0, id: "c1", name: "search", args: '{"q":' },
        { index: 0, id: "c1", name: "search", args: '"a"}' },
        { index: 0, id: "c1", name: "search", args: "" }
      ]),
      [["c1", "search", a]]
    )
  })

  it("9.2 reads servers that create a new id for every piece", () => {
    for (const index of [{ index: 0 }, {}]) {
      assert.deepStrictEqual(
        collect([
          { ...index, id: "x1", name: "search", args: "" },
          { ...index, id: "x2", args: '{"q":' },
          { ...index, id: "x3", args: '"a"}' }
        ]),
        [["x1", "search", a]]
      )
    }
  })

  it("9.2 a name that arrives in several pieces is one name, shown once and whole", () => {
    for (const id of [undefined, "c1"]) {
      const expected = [[id ?? "call_1", "search_orders", a]]
      for (const pieces of [
        [{ name: "sea" }, { name: "rch_" }, { name: "orders" }, { args: a }],
        [{ name: "search_" }, { name: "orders", args: '{"q":' }, { args: '"a"}' }]
      ]) {
        const [first, ...rest] = pieces.map((piece) => ({ index: 0, ...piece }))
        assert.deepStrictEqual(collect([{ ...first, ...(id === undefined ? {} : { id }) }, ...rest]), expected)
      }
    }
    const calls = CallDeltas.make(new Set())
    const shown = ["sea", "rch"].flatMap((name) => calls.push([{ index: 0, id: "c1", function: { name } }]))
    assert.deepStrictEqual(shown, [])
    assert.deepStrictEqual(calls.push([{ index: 0, function: { arguments: "{" } }]), [
      { type: "tool-params-start", id: "c1", name: "search" },
      { type: "tool-params-delta", id: "c1", delta: "{" }
    ])
  })

  it("9.2 reads an id or a name that arrives later", () => {
    assert.deepStrictEqual(
      collect([
        { index: 0, args: "{" },
        { index: 0, id: "c1" },
        { index: 0, name: "search" },
        { index: 0, args: "}" }
      ]),
      [["c1", "search", "{}"]]
    )
  })

  it("9.1 replaces ids that are empty, repeated, or already in the conversation", () => {
    assert.deepStrictEqual(
      collect(
        [
          { index: 0, id: "", name: "search", args: a },
          { index: 1, id: "c1", name: "search", args: a },
          { index: 2, id: "c1", name: "search", args: b },
          { index: 3, id: "old", name: "search", args: b }
        ],
        ["old"]
      ),
      [
        ["call_2", "search", a],
        ["c1", "search", a],
        ["call_4", "search", b],
        ["call_5", "search", b]
      ]
    )
  })

  it("9.2 distinguishes calls that have neither id nor index", () => {
    assert.deepStrictEqual(
      collect([
        { name: "search", args: a },
        { name: "search", args: b },
        { name: "read", args: "" },
        { name: "read", args: "{}" }
      ]),
      [
        ["call_1", "search", a],
        ["call_2", "search", b],
        ["call_3", "read", "{}"]
      ]
    )
  })

  it("9.2 reads arguments that are an object, and a call without a name", () => {
    assert.deepStrictEqual(collect([{ index: 0, id: "c1", name: "search", args: { q: "a" } }]), [["c1", "search", a]])
    const calls = CallDeltas.make(new Set())
    calls.push([{ index: 0, id: "c1", function: { arguments: "{" } }])
    assert.deepStrictEqual(calls.finish(), [
      { type: "tool-params-start", id: "c1", name: "" },
      { type: "tool-params-end", id: "c1" },
      { type: "tool-call", id: "c1", name: "", params: "{", metadata: {} }
    ])
  })
})
