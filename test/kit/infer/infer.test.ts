/** Tests guesses from recorded results, and values from which nothing is guessed. */
import { assert, describe, it } from "@effect/vitest"
import { infer } from "#kit/infer/infer"
import { Recorder } from "#kit/infer/RecordedResults"
import { source } from "#kit/infer/Source"
import { field, inferred, record, recorded, remark, schemas, times } from "./support.ts"

describe("enums", () => {
  const status = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).flatMap(([value, count]) => times(count, () => value))

  it("13.2 are guessed if few values repeat in many entities", () => {
    const values = status({ open: 40, closed: 20 })
    assert.strictEqual(field(values, "status"), `Schema.Literals(["closed", "open"])`)
    assert.strictEqual(remark(values, "status"), "seen 60 of 60; enum from 2 values in 60")
  })

  it("13.2 are not guessed from few entities, and the comment lists the values", () => {
    const values = status({ open: 20, closed: 10 })
    assert.strictEqual(field(values, "status"), "Schema.String")
    assert.strictEqual(remark(values, "status"), `seen 30 of 30; no enum yet: 2 values in 30: "open", "closed"`)
  })

  it("13.2 never contain a value that was seen once or twice", () => {
    assert.strictEqual(field(status({ open: 300, closed: 1 }), "status"), "Schema.String")
    assert.strictEqual(field(status({ open: 300, closed: 2 }), "status"), "Schema.String")
    assert.strictEqual(field(status({ open: 300, closed: 3 }), "status"), `Schema.Literals(["closed", "open"])`)
  })

  it("13.2 count an entity once, however often its state changes", () => {
    const orders = (ids: number) =>
      times(300, (n) => ({ order_id: `o${n % ids}x`, n, kind: n % ids < ids / 2 ? "sale" : "return" }))
    assert.match(schemas(orders(4)), /kind: Schema\.String, |kind: Schema\.String \/\//)
    assert.match(schemas(orders(60)), /kind: Schema\.Literals\(\["return", "sale"\]\)/)
  })

  it("13.2 are not guessed from names, ids, sentences or numbers that repeat by chance", () => {
    const two = (one: string, other: string) => status({ [one]: 100, [other]: 100 })
    assert.strictEqual(field(two("Mia", "Omar"), "first_name"), "Schema.String")
    assert.strictEqual(field(two("Paris", "Rome"), "city"), "Schema.String")
    assert.strictEqual(field(two("main", "develop"), "branch_id"), "Schema.String")
    assert.strictEqual(field(two("C-1001", "C-1002"), "buyer"), "Schema.String")
    assert.strictEqual(field(two("It is not ready.", "It is ready!"), "state"), "Schema.String")
    assert.strictEqual(field(two("10", "20"), "level"), "Schema.String")
    assert.strictEqual(field(two("open", ""), "status"), "Schema.String")
  })

  it("13.2 are not guessed from a single value", () => {
    const values = times(200, () => "USD")
    assert.strictEqual(field(values, "currency"), "Schema.String")
    assert.strictEqual(remark(values, "currency"), `seen 200 of 200; always "USD"`)
  })
})

describe("numbers", () => {
  it("13.2 are integers if many different values were whole", () => {
    assert.strictEqual(field(times(18, (n) => n * 7)), "Schema.Int")
    assert.strictEqual(remark(times(18, (n) => n * 7)), "seen 18 of 18; whole in 18 values")
    assert.strictEqual(field(times(17, (n) => n * 7)), "Schema.Finite")
    assert.strictEqual(remark(times(17, (n) => n * 7)), "seen 17 of 17; whole so far, in 17 values")
    assert.strictEqual(field(times(100, (n) => n % 2)), "Schema.Finite")
  })

  it("13.2 are integers after fewer samples if the field counts something", () => {
    assert.strictEqual(field([3, 5], "total_count"), "Schema.Int")
  })

  it("13.2 are not integers if a value is a decimal, or is written as a decimal", () => {
    assert.strictEqual(field([...times(50, (n) => n), 0.5]), "Schema.Finite")
    const written = times(50, (n) => `{"n": ${n}, "field": ${n === 7 ? "8.0" : n}}`)
    assert.match(schemas(written), /field: Schema\.Finite/)
  })

  it("13.2 are not integers if they exceed the precision of a double", () => {
    assert.strictEqual(field(times(50, (n) => 2 ** 52 + n)), "Schema.Finite")
  })
})

describe("texts", () => {
  it("13.2 are dates and times if there are enough values and all match", () => {
    assert.strictEqual(field(times(4, (n) => `2026-01-0${n + 1}`)), "CalendarDate")
    assert.strictEqual(field(times(3, (n) => `2026-01-0${n + 1}`)), "Schema.String")
    assert.strictEqual(
      field(
        times(2, (n) => `2026-01-0${n + 1}`),
        "due_date"
      ),
      "CalendarDate"
    )
    assert.strictEqual(field(times(4, (n) => `2026-01-0${n + 1}T10:00:00Z`)), "Timestamp")
    assert.strictEqual(field(times(4, (n) => `2026-01-0${n + 1} 10:00:00.123+02:00`)), "Timestamp")
    assert.strictEqual(field([...times(50, (n) => `2026-01-${10 + (n % 20)}`), "soon"]), "Schema.String")
  })

  it("13.2 are addresses and UUIDs if there are enough values and all match", () => {
    const uuid = (n: number) => `01234567-89ab-4def-8123-4567${String(10_000_000 + n)}`
    assert.strictEqual(field(times(4, uuid)), "Uuid")
    assert.strictEqual(field(times(38, (n) => `https://example.com/${n}`)), "WebAddress")
    assert.strictEqual(field(times(38, (n) => `n${n}@example.com`)), "EmailAddress")
    assert.strictEqual(field(times(30, (n) => `n${n}@example.com`)), "Schema.String")
  })

  it("13.2 have a pattern only if many different values match it and the field identifies something", () => {
    const id = (n: number) => `C-${1000 + n}`
    assert.strictEqual(field(times(60, id), "customer_id"), "Schema.String.check(Schema.isPattern(/^C-\\d{4}$/u))")
    assert.strictEqual(remark(times(60, id), "customer_id"), "seen 60 of 60; pattern of 60 values")
    assert.strictEqual(field(times(57, id), "customer_id"), "Schema.String")
    assert.strictEqual(field(times(60, id), "customer"), "Schema.String")
    assert.strictEqual(field([...times(60, id), "guest"], "customer_id"), "Schema.String")
  })
})

describe("absence", () => {
  it("13.2 marks a field that was absent once as optional", () => {
    const values = [...times(9, (n) => `a${n}`), undefined]
    assert.strictEqual(field(values), "Schema.optionalKey(Schema.String)")
    assert.strictEqual(remark(values), "seen 9 of 10")
  })

  it("13.2 marks a field that was null once as nullable", () => {
    const values = [...times(9, (n) => `a${n}`), null]
    assert.strictEqual(field(values), "Schema.NullOr(Schema.String)")
    assert.strictEqual(remark(values), "seen 10 of 10; null in 1")
  })

  it("13.2 marks the time of an event as nullable until it has been seen often", () => {
    assert.strictEqual(field(["2026-01-01", "2026-01-02"], "closed_at"), "Schema.NullOr(CalendarDate)")
    assert.strictEqual(
      remark(["2026-01-01", "2026-01-02"], "closed_at"),
      "seen 2 of 2; nullable because of its name; format of 2 values"
    )
    const often = times(20, (n) => `2026-01-${10 + n}`)
    assert.strictEqual(field(often, "closed_at"), "CalendarDate")
  })

  it("13.2 guesses nothing for a field that was always null or an empty list", () => {
    assert.strictEqual(field([null, null]), "Schema.NullOr(Schema.Json)")
    assert.strictEqual(field([[], []]), "Schema.Array(Schema.Json)")
    assert.strictEqual(remark([[], []]), "seen 2 of 2; always empty")
    assert.strictEqual(field([{}, {}]), "Schema.Record(Schema.String, Schema.Never)")
  })

  it("13.2 requires no field of a rare object", () => {
    const results = (times: number) =>
      Array.from({ length: 40 }, (_, n) => (n < times ? { n, error: { code: n, reason: "x" } } : { n }))
    assert.match(schemas(results(3)), /code: Schema\.optionalKey\(Schema\.Int\)/)
    assert.match(schemas(results(12)), /code: Schema\.Int/)
  })
})

describe("objects", () => {
  it("13.2 are records if their names are data", () => {
    const rates = times(3, (n) => ({ n, rates: { USD: n + 0.5, EUR: 1.5, GBP: n } }))
    assert.match(
      schemas(rates),
      /rates: Schema\.Record\(Schema\.String, Schema\.Finite\) \/\/ .*a record: 3 different names/
    )
    const days = times(9, (n) => ({
      n,
      days: {
        [`2026-01-0${n + 1}`]: { low: n, high: n + 1 },
        "2026-02-01": { low: 1, high: 2 },
        "2026-03-01": { low: 1, high: 2 }
      }
    }))
    assert.match(schemas(days), /days: Schema\.Record\(Schema\.String, Day\)/)
    const words = times(30, (n) => ({ n, counts: { [`${"abcdefghij"[n % 10]}${"klm"[Math.floor(n / 10)]}`]: n } }))
    assert.match(schemas(words), /counts: Schema\.Record\(Schema\.String, Schema\.Int\)/)
  })

  it("13.2 are structs if their names are words, with or without digits", () => {
    assert.match(
      schemas(times(9, (n) => ({ n, address: { address1: `a${n}`, address2: `b${n}`, city: "Rome" } }))),
      /address: Address/
    )
  })

  it("13.2 are a union if one field determines the others", () => {
    const payments = times(60, (n) =>
      n % 2 === 0 ? { kind: "card", last_four: `x${n}`, amount: n } : { kind: "transfer", iban: `y${n}`, amount: n }
    )
    assert.strictEqual(
      schemas([{ payments: payments.slice(0, 20) }, { payments: payments.slice(20) }]),
      `export const CardPayment = Schema.Struct({
  kind: Schema.Literal("card"), // seen 30 of 30; discriminates the union
  last_four: Schema.String, // seen 30 of 30
  amount: Schema.Int // seen 30 of 30; whole in 30 values
})

export const TransferPayment = Schema.Struct({
  kind: Schema.Literal("transfer"), // seen 30 of 30; discriminates the union
  iban: Schema.String, // seen 30 of 30
  amount: Schema.Int // seen 30 of 30; whole in 30 values
})

export const Payment = Schema.Union([CardPayment, TransferPayment])

export const GetThingSuccess = Schema.Struct({
  payments: Schema.Array(Payment) // seen 2 of 2
})`
    )
  })

  it("13.2 are one struct if no field determines another, and a field is absent by chance", () => {
    const orders = times(80, (n) => ({
      status: n % 2 === 0 ? "open" : "closed",
      n,
      ...(n === 0 ? {} : { by: `x${n}` })
    }))
    assert.match(schemas(orders), /by: Schema\.optionalKey\(Schema\.String\) \/\/ seen 79 of 80/)
  })

  it("13.2 are one struct until it is certain enough that there is no other member", () => {
    const payments = times(20, (n) =>
      n % 2 === 0 ? { kind: "card", last_four: `x${n}` } : { kind: "transfer", iban: `y${n}` }
    )
    assert.match(schemas([{ payments }]), /last_four: Schema\.optionalKey\(Schema\.String\), \/\/ seen 10 of 20/)
  })

  it("13.2 are a union if results have no field in common, and the member with more fields comes first", () => {
    const results = times(20, (n) =>
      n % 2 === 0 ? { line_id: `l${n}`, plan_id: "p1" } : { plan_id: `p${n}`, title: `t${n}`, price: n + 0.5 }
    )
    assert.match(schemas(results), /export const GetThingSuccess = Schema\.Struct/)
    const apart = times(20, (n) => (n % 2 === 0 ? { line_id: `l${n}` } : { bill_id: `b${n}`, total: n + 0.5 }))
    assert.match(schemas(apart), /export const GetThingSuccess = Schema\.Union\(\[Bill, Line\]\)/)
  })

  it("13.2 are one struct at every depth if they are recursive", () => {
    const file = (n: number, depth: number): object => ({
      name: `f${n}`,
      ...(depth === 0 ? {} : { children: [file(2 * n, depth - 1), file(2 * n + 1, 0)] })
    })
    assert.strictEqual(
      schemas(times(9, (n) => ({ root: file(n, 3) }))),
      `export interface Root {
  readonly name: string
  readonly children?: ReadonlyArray<Root>
}

export const Root: Schema.Codec<Root> = Schema.Struct({
  name: Schema.String, // seen 53 of 53
  children: Schema.optionalKey(Schema.Array(Schema.suspend((): Schema.Codec<Root> => Root))) // seen 27 of 53
})

export const GetThingSuccess = Schema.Struct({
  root: Root // seen 9 of 9
})`
    )
  })

  it("13.2 have one name if they have one shape, and are inferred from all its samples", () => {
    const order = (n: number) => ({
      order_id: `o${n}`,
      total: n,
      placed: `2026-01-${10 + n}`,
      paid: n % 2 === 0,
      by: "x"
    })
    const recorder = record(new Recorder(), times(10, order), { tool: "get_order" })
    record(
      recorder,
      times(12, (n) => order(n + 5)),
      { tool: "cancel_order" }
    )
    assert.strictEqual(
      source(infer(recorder.tools)).split("\n").slice(11).join("\n"),
      `const CalendarDate = Schema.String.check(Schema.isPattern(/^\\d{4}-\\d{2}-\\d{2}$/u))

export const Order = Schema.Struct({
  order_id: Schema.String, // seen 17 of 17
  total: Schema.Int, // seen 17 of 17; whole in 17 values
  placed: CalendarDate, // seen 17 of 17; format of 17 values
  paid: Schema.Boolean, // seen 17 of 17
  by: Schema.String // seen 17 of 17; always "x"
})

/** The result of "cancel_order", from 12 results (12 different) in 12 conversations. */
export const CancelOrderSuccess = Order

/** The result of "get_order", from 10 results (10 different) in 10 conversations. */
export const GetOrderSuccess = Order
`
    )
  })
})

describe("lists, and values inside texts", () => {
  it("13.2 are inferred inside lists of lists", () => {
    const results = times(5, (n) => [[{ a: n, b: "x" }], []])
    assert.strictEqual(
      schemas(results),
      `export const Thing = Schema.Struct({
  a: Schema.Finite, // seen 5 of 5; whole so far, in 5 values
  b: Schema.String // seen 5 of 5; always "x"
})

export const GetThingSuccess = Schema.Array(Schema.Array(Thing))`
    )
  })

  it("13.2 are unions if there are several kinds", () => {
    assert.strictEqual(
      field([1, "a", true, [1], null]),
      "Schema.NullOr(Schema.Union([Schema.Array(Schema.Finite), Schema.Finite, Schema.Boolean, Schema.String]))"
    )
  })

  it("13.2 are read from JSON in a text, which remains a text until that is certain enough", () => {
    const held = (n: number) => JSON.stringify({ id: n })
    assert.strictEqual(field(times(8, held)), "Schema.fromJsonString(Field)")
    assert.strictEqual(field(times(7, held)), "Schema.Union([Schema.fromJsonString(Field), Schema.String])")
    assert.strictEqual(
      field([...times(8, held), "none"]),
      "Schema.Union([Schema.fromJsonString(Field), Schema.String])"
    )
  })

  it("13.2 are read from a Python repr in a text", () => {
    const held = (n: number) => `{'id': ${n}, 'tags': None}`
    assert.strictEqual(field(times(8, held)), "PythonRepr.fromReprString(Field)")
  })

  it("13.2 are read from an MCP result that a Python client printed", () => {
    const results = times(8, (n) => `meta=None content=[TextContent(type='text', text='{"id": ${n}}')] isError=False`)
    assert.strictEqual(
      schemas(results),
      `export const GetThingContentText = Schema.Struct({
  id: Schema.Int // seen 8 of 8; whole in 8 values
})

export const GetThingContent = Schema.Struct({
  type: Schema.String, // seen 8 of 8; always "text"
  text: Schema.fromJsonString(GetThingContentText) // seen 8 of 8; text that contains JSON
})

export const GetThingSuccess = Schema.Struct({
  meta: Schema.NullOr(Schema.Json), // seen 8 of 8; null in 8
  content: Schema.Array(GetThingContent), // seen 8 of 8
  isError: Schema.Boolean // seen 8 of 8
})`
    )
  })
})

describe("results", () => {
  it("13.2 in plain text are strings, or an enum of words if that is certain enough", () => {
    assert.strictEqual(schemas(["It rains.", "The sun shines."]), "export const GetThingSuccess = Schema.String")
    assert.strictEqual(
      schemas(times(60, (n) => (n % 2 === 0 ? "landed" : "delayed"))),
      `export const GetThingSuccess = Schema.TemplateLiteral([Schema.Literals(["delayed", "landed"])])`
    )
    assert.strictEqual(
      schemas(times(30, (n) => (n % 2 === 0 ? "landed" : "delayed"))),
      "export const GetThingSuccess = Schema.String"
    )
  })

  it("13.2 that are numbers or booleans have these types", () => {
    assert.strictEqual(schemas(["-100", "7.5"]), "export const GetThingSuccess = Schema.Finite")
    assert.strictEqual(schemas(["true", "true"]), "export const GetThingSuccess = Schema.Boolean")
    assert.strictEqual(schemas(["7", "seven"]), "export const GetThingSuccess = Schema.String")
  })

  it("13.2 that failed, were truncated, or are plain text among JSON are not used, but counted", () => {
    const results = [
      ...times(20, (n) => ({ id: `i${n}` })),
      "Error: 503 Service Unavailable",
      `{"error": "not found"}`,
      `{"id": "i`,
      "see the other tool"
    ]
    const { tools } = infer([...recorded(results)])
    assert.deepStrictEqual(tools[0]?.counts, {
      results: 24,
      conversations: 24,
      failures: 2,
      cut: 1,
      text: 1,
      used: 20,
      different: 20
    })
    assert.match(
      source(inferred(results)),
      /from 20 results \(20 different\) in 24 conversations\.\n \* Not used: 2 failures, 1 truncated result, 1 result in plain text\./
    )
  })

  it("13.2 that the log marks as errors are not used", () => {
    const { leftOut, tools } = infer(
      recorded(
        times(9, (n) => ({ n })),
        { isError: true }
      )
    )
    assert.deepStrictEqual(
      [tools.length, leftOut[0]?.reason],
      [0, "0 usable results, but at least 5 are needed (9 failed)"]
    )
  })

  it("13.2 that are too few or all empty yield no schema, and the reason is reported", () => {
    const reason = (results: ReadonlyArray<unknown>) => infer(recorded(results)).leftOut.map(({ reason }) => reason)
    assert.deepStrictEqual(reason([{ a: 1 }]), ["1 usable result, but at least 5 are needed"])
    assert.deepStrictEqual(reason([`{"a": 1, "b`, `[1, `]), [
      "0 usable results, but at least 5 are needed (2 truncated)"
    ])
    assert.deepStrictEqual(reason(times(9, () => [])), ["all 9 results are empty"])
    assert.deepStrictEqual(reason(times(9, () => null)), ["all 9 results are empty"])
    assert.deepStrictEqual(infer(recorded([{ a: 1 }]), { minSamples: 1 }).leftOut, [])
  })

  it("13.2 without common fields are a record of any values, and the comment says so", () => {
    const odd = times(40, (n) =>
      Object.fromEntries(
        times(3, (m) => [
          `${"abcdefgh"[m]}${"abcdefghijklmnopqrstuvwxyz"[n % 26]}${"xyz"[n % 3]}`,
          n % 2 === 0 ? m : "text"
        ])
      )
    )
    assert.match(
      schemas(odd.map((bag) => ({ n: 1, bag }))),
      /bag: Schema\.Record\(Schema\.String, Schema\.Json\) \/\/ .*objects without common fields/
    )
  })

  it("13.2 yield the same schemas if the tools are recorded in another order", () => {
    const one = record(
      new Recorder(),
      times(9, (n) => ({ a: n })),
      { tool: "get_a" }
    )
    record(
      one,
      times(9, (n) => ({ b: n })),
      { tool: "get_b" }
    )
    const other = record(
      new Recorder(),
      times(9, (n) => ({ b: n })),
      { tool: "get_b" }
    )
    record(
      other,
      times(9, (n) => ({ a: n })),
      { tool: "get_a" }
    )
    assert.strictEqual(source(infer(one.tools)), source(infer(other.tools)))
  })
})
