/**
 * Tests that the work of reading what an answer states is in proportion to the number of its fields. The sender chooses
 * the fields: quadratic work for 100,000 fields would block the process for minutes. Counts how often the fields are read.
 */
import { assert, describe, it } from "@effect/vitest"
import { failureIn } from "#domain/answers/HiddenFailure"
import { statementOf } from "#domain/answers/statements/Statement"

/** Returns the `index`th spelling of a name, which differs from the others only in separators. */
const spelled = (name: string, index: number): string =>
  [...name].map((letter, at) => `${letter}${["", "_", "-", " "][(index >> (2 * at)) & 3]}`).join("")

/** Series of names of fields: of data, and of each kind of field that can state something. */
const names: Readonly<Record<string, (index: number) => string>> = {
  "of data": (index) => `k${index}`,
  "of messages": (index) => `k${index}message`,
  "of states": (index) => `k${index}status`,
  "of entities": (index) => `k${index}_id`,
  "of GraphQL's errors": (index) => `k${index}_userErrors`,
  "of refused items": (index) => `unprocessed${index}`,
  "of numbers of items": (index) => `rows_${spelled("failed", index)}`,
  ...Object.fromEntries(
    [
      "statuscode",
      "resultcode",
      "errorcode",
      "errormessage",
      "successful",
      "errors",
      "warning",
      "refunded",
      "summary"
    ].map((name) => [`spelled like ${name}`, (index: number) => spelled(name, index)])
  )
}

const values: Readonly<Record<string, unknown>> = {
  false: false,
  zero: 0,
  "a code": "INVALID_ARGUMENT",
  "a denial": "The refund could not be issued",
  "a success": "ok",
  "a failed entity": { id: 1, status: "failed" },
  "a list": [{ error: "x" }]
}

const call = { tool: "refund_order", arguments: {}, declares: () => false, isValue: true } as const

const readings: Readonly<Record<string, (answer: unknown) => unknown>> = {
  "a write": (answer) => statementOf(answer, { ...call, access: "write", conforms: true }),
  "a write that breaks its contract": (answer) => statementOf(answer, { ...call, access: "write", conforms: false }),
  "a read": (answer) => statementOf(answer, { ...call, access: "read", conforms: true }),
  "a read that breaks its contract": (answer) => statementOf(answer, { ...call, access: "read", conforms: false }),
  "an MCP tool": (answer) => failureIn({ isError: true, structuredContent: answer }, call.tool)
}

/** Returns an object that counts how often its fields are read. */
const counting = (answer: object): { readonly answer: object; readonly reads: () => number } => {
  let reads = 0
  const proxy = new Proxy(answer, {
    get: (target, name) => {
      reads++
      return Reflect.get(target, name)
    }
  })
  return { answer: proxy, reads: () => reads }
}

const fields = 120

/** The largest average number of reads of a field. */
const maxReads = 50

const inside: Readonly<Record<string, (answer: object) => unknown>> = {
  "the answer": (answer) => answer,
  "its payload": (answer) => ({ data: answer }),
  "an item": (answer) => ({ items: [answer] }),
  "lists in lists": (answer) => ({ items: [{ parts: [{ id: "p-1", parts: [answer] }] }] })
}

describe("an answer with many fields", () => {
  const data = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`item${index}`, { n: index }]))
  const statements: Readonly<Record<string, object>> = {
    "success: false": { success: false },
    "an error": { error: { message: "The card was declined" } },
    "the tool's own action denied": { refunded: false }
  }
  it("3.3 states its failure after many remarks", () => {
    const remarks = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [spelled("description", index), "x"]))
    const statement = statementOf({ ...remarks, ...data, success: false }, { ...call, access: "write", conforms: true })
    assert.strictEqual(statement?._tag, "Failure")
  })

  it.each(Object.entries(statements))("3.3 states its failure before or after its data: %s", (_, stated) => {
    for (const answer of [
      { ...stated, ...data },
      { ...data, ...stated }
    ]) {
      const statement = statementOf(answer, { ...call, access: "write", conforms: true })
      assert.strictEqual(statement?._tag, "Failure")
    }
  })

  const places = Object.keys(inside)
  const kinds = Object.entries(names).map(
    ([kind, name], index) => [kind, places[index % places.length] ?? "", name] as const
  )
  it.each(kinds)("3.3 with names %s in %s, a field is read at most fifty times on average", (_, place, name) => {
    for (const [value, content] of Object.entries(values)) {
      for (const [reader, read] of Object.entries(readings)) {
        const { answer, reads } = counting(
          Object.fromEntries(Array.from({ length: fields }, (_, index) => [name(index), content]))
        )
        read(inside[place]?.(answer))
        assert.isAtMost(reads(), fields * maxReads, `${value}, as the answer of ${reader}`)
      }
    }
  })
})
