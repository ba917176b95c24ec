/** Tests that a preview shows as much of the beginning of a result as fits, and describes the rest. */
import { assert, describe, it } from "@effect/vitest"
import * as Preview from "#domain/envelope/Preview"
import * as Utf8 from "#domain/text/Utf8"

const times = <A>(length: number, make: (index: number) => A) => Array.from({ length }, (_, index) => make(index))

/** Returns the JSON of a text of `x` that is cut to `room` bytes. */
const cut = (room: number) => `"${"x".repeat(room - 5)}…"`

describe("Preview.first", () => {
  it("4.14 an ASCII text is cut to exactly the room, any other text to at most the room, if one character and the mark fit", () => {
    const text = "x".repeat(50)
    for (const room of times(60, (room) => room))
      assert.strictEqual(
        Preview.first(text, room),
        room >= 52 ? JSON.stringify(text) : room < 6 ? undefined : cut(room),
        String(room)
      )
    for (const [unit, room, shown] of [
      ["é", 8, '"é…"'],
      ["é", 61, `"${"é".repeat(27)}…"`],
      ["é", 62, `"${"é".repeat(30)}"`],
      ["€", 7, undefined],
      ["€", 8, '"€…"'],
      ["€", 40, `"${"€".repeat(10)}…"`],
      ["\\", 7, String.raw`"\\…"`]
    ] as const)
      assert.strictEqual(Preview.first(unit.repeat(30), room), shown, `${unit} ${room}`)
  })

  it("4.14 a list shows the elements that fit whole, or the beginning of the first", () => {
    for (const list of [
      [1, 22, 333, 4_444],
      [[1], [], [[2]]],
      [{ a: 1 }, { b: "é" }, {}],
      [true, null, "€"],
      [],
      [[]]
    ]) {
      for (const room of times(Utf8.length(JSON.stringify(list)) + 3, (room) => room)) {
        const fitting = list
          .map((_, index) => JSON.stringify(list.slice(0, index + 1)))
          .filter((text) => Utf8.length(text) <= room)
        const expected = list.length === 0 && room >= 2 ? "[]" : fitting.at(-1)
        assert.strictEqual(Preview.first(list, room), expected, `${JSON.stringify(list)} ${room}`)
      }
    }
    for (const room of times(20, (room) => room))
      assert.strictEqual(Preview.first(["x".repeat(20), 1], room), room < 8 ? undefined : `[${cut(room - 2)}]`)
    assert.strictEqual(Preview.first([1, "x".repeat(20)], 20), "[1]")
  })

  it("4.14 values are cut at most six levels deep", () => {
    const nested = (levels: number, text: string) => `${"[".repeat(levels)}${text}${"]".repeat(levels)}`
    for (const levels of [0, 1, 2, 3, 4, 5]) {
      const value: unknown = JSON.parse(nested(levels, `"${"x".repeat(40)}"`))
      assert.strictEqual(Preview.first(value, 30), nested(levels, cut(30 - 2 * levels)))
    }
    for (const levels of [6, 7]) {
      const text = nested(levels, `"${"x".repeat(40)}"`)
      assert.isUndefined(Preview.first(JSON.parse(text), text.length - 1))
      assert.strictEqual(Preview.first(JSON.parse(text), text.length), text)
      const object = text.replaceAll("[", '{"a":').replaceAll("]", "}")
      assert.isUndefined(Preview.first(JSON.parse(object), object.length - 1))
      assert.strictEqual(Preview.first(JSON.parse(object), object.length), object)
    }
  })

  it("4.14 an object shows its small members, and then the beginnings of the others in equal shares of the room", () => {
    const x = "x".repeat(30)
    const value = { a: 1, b: x, c: [1, 2, 3], d: { e: x, f: 2 } }
    for (const [room, shown] of [
      [7, undefined],
      [8, `{"a":1}`],
      [19, `{"a":1}`],
      [20, `{"a":1,"c":[1,2,3]}`],
      [45, `{"a":1,"b":"${x}"}`],
      [57, `{"a":1,"b":"${x}","c":[1,2,3]}`],
      [69, `{"a":1,"b":"${x}","c":[1,2,3]}`],
      [70, `{"a":1,"b":"${x}","c":[1,2,3],"d":{"f":2}}`],
      [90, `{"a":1,"b":"${x}","c":[1,2,3],"d":{"e":${cut(15)},"f":2}}`],
      [106, JSON.stringify(value)]
    ] as const)
      assert.strictEqual(Preview.first(value, room), shown, String(room))
    // A member of at most 200 bytes is small.
    const [small, large] = ["x".repeat(198), "x".repeat(199)]
    assert.strictEqual(Preview.first({ a: small, b: small }, 300), `{"a":"${small}","b":${cut(88)}}`)
    assert.strictEqual(Preview.first({ a: large, b: large }, 301), `{"a":${cut(144)},"b":${cut(145)}}`)
    // A small member after a large one is shown whole, and the members keep their order.
    assert.strictEqual(Preview.first({ a: large, b: small }, 300), `{"a":${cut(88)},"b":"${small}"}`)
    // A member without a value in JSON, or without room, takes no share.
    assert.strictEqual(Preview.first({ u: undefined, a: large }, 100), `{"a":${cut(93)}}`)
    assert.strictEqual(Preview.first({ [`${"k".repeat(90)}`]: large, a: large }, 100), `{"a":${cut(93)}}`)
    assert.strictEqual(Preview.first({ é: large }, 100), `{"é":${cut(92)}}`)
  })

  it("4.14 an object shows at most its first forty members", () => {
    const wide = Object.fromEntries(times(50, (index) => [`k${index}`, index]))
    const forty = Object.fromEntries(Object.entries(wide).slice(0, 40))
    assert.strictEqual(Preview.first(wide, JSON.stringify(wide).length - 1), JSON.stringify(forty))
    assert.strictEqual(Preview.first(wide, JSON.stringify(wide).length), JSON.stringify(wide))
  })

  it("4.14 a value that converts itself to JSON is shown in its converted form", () => {
    const at = (json: unknown) => ({ hidden: 1, toJSON: () => json })
    assert.strictEqual(Preview.first(at("x".repeat(50)), 20), cut(20))
    assert.strictEqual(Preview.first([at([1, 2])], 20), "[[1,2]]")
    assert.strictEqual(Preview.first({ a: at({ b: 1 }), c: { toJSON: 1 } }, 40), `{"a":{"b":1},"c":{"toJSON":1}}`)
    assert.strictEqual(Preview.first({ a: at("x".repeat(300)) }, 30), `{"a":${cut(23)}}`)
    for (const value of [undefined, () => 1, Symbol("a")]) assert.isUndefined(Preview.first(value, 100))
  })
})

describe("Preview.whole", () => {
  it("4.14 a value is written if its JSON has at most as many bytes as the room", () => {
    for (const value of [
      null,
      true,
      0,
      "",
      "é€😀",
      '"\n',
      [],
      [1],
      [1, [2, "a"], {}],
      {},
      { a: 1 },
      { "": [], é: { b: null, c: "d" } },
      [[[]], [{}], ""]
    ]) {
      const text = JSON.stringify(value)
      assert.strictEqual(Preview.whole(value, Utf8.length(text)), text)
      assert.isUndefined(Preview.whole(value, Utf8.length(text) - 1), text)
    }
    assert.isUndefined(Preview.whole(undefined, 100))
  })

  it("4.14 of a value that cannot fit, only the part that could fit is read", () => {
    let reads = 0
    const counted = <A extends object>(value: A): A =>
      new Proxy(value, {
        get: (target, name) => {
          if (name !== "length" && name !== "toJSON") reads++
          return Reflect.get(target, name) as unknown
        }
      })
    for (const value of [
      counted(times(10_000, (index) => index)),
      counted(Object.fromEntries(times(10_000, (index) => [`k${index}`, index]))),
      counted([times(10_000, () => counted([1, 2]))]),
      counted([counted({ a: "x".repeat(10_000) }), ...times(50, () => 1)])
    ]) {
      reads = 0
      assert.isUndefined(Preview.whole(value, 100))
      assert.isAtMost(reads, 101)
    }
  })
})

describe("Preview.structure", () => {
  it("4.14 states the kind of a value, and the size of lists and long texts", () => {
    for (const [value, kind] of [
      [null, "null"],
      [undefined, "null"],
      [[], "array of 0"],
      [[1, 2], "array of 2"],
      ["x".repeat(100), "string"],
      ["x".repeat(101), "string of 101 characters"],
      [1, "number"],
      [true, "boolean"]
    ] as const) {
      assert.strictEqual(Preview.structure(value, 1_000), kind)
      assert.deepStrictEqual(Preview.structure({ a: value, b: {} }, 1_000), { a: kind, b: "object" })
    }
    const converted = { toJSON: () => [1] }
    assert.strictEqual(Preview.structure(converted, 1_000), "array of 1")
    assert.deepStrictEqual(Preview.structure({ a: converted }, 1_000), { a: "array of 1" })
  })

  it("4.14 names at most 40 members, with at most 80 characters each, in at most a third of the room", () => {
    const members = (length: number) => Object.fromEntries(times(length, (index) => [`k${index}`, index]))
    const kinds = (length: number) => Object.fromEntries(times(length, (index) => [`k${index}`, "number"]))
    assert.deepStrictEqual(Preview.structure(members(40), 10_000), kinds(40))
    assert.deepStrictEqual(Preview.structure(members(41), 10_000), { ...kinds(40), "…": "1 more member" })
    assert.deepStrictEqual(Preview.structure({ ["k".repeat(80)]: 1 }, 1_000), { ["k".repeat(80)]: "number" })
    assert.deepStrictEqual(Preview.structure({ ["k".repeat(81)]: 1 }, 1_000), { [`${"k".repeat(79)}…`]: "number" })
    const room = 3 * JSON.stringify(kinds(5)).length
    assert.deepStrictEqual(Preview.structure(members(5), room), kinds(5))
    assert.strictEqual(Preview.structure(members(5), room - 1), "object of 5 members")
  })
})
