import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, SchemaAST } from "effect"
import * as Fault from "#domain/faults/Fault"
import * as FaultGroups from "#domain/faults/FaultGroups"
import * as Suggestion from "#domain/faults/Suggestion"

const Order = Schema.toCodecJson(
  Schema.Struct({ name: Schema.String, cents: Schema.Int, status: Schema.Literals(["placed", "shipped"]) })
)
const good = { name: "A", cents: 1, status: "placed" }

const faultsOf = (value: unknown): ReadonlyArray<Fault.Fault> => {
  const decoded = Schema.decodeUnknownResult(Order, { errors: "all", reportInput: true })(value)
  return Result.isFailure(decoded) ? Fault.ofResult(decoded.failure.issue, value, SchemaAST.toEncoded(Order.ast)) : []
}

interface SeenValue {
  readonly value: unknown
  readonly worked?: boolean
  readonly answer?: string
}

/** Folds results of one tool. Each result has a separate answer unless `answer` is given. */
const fold = (seen: ReadonlyArray<SeenValue>, redact = (text: string) => text) => {
  const groups = FaultGroups.make<number>(redact)
  seen.forEach(({ answer, value, worked = true }, at) => {
    groups.add({ tool: "get_order", faults: faultsOf(value), at, worked, answer: answer ?? String(at) })
  })
  return groups
}
const times = (count: number, value: unknown, more: Omit<SeenValue, "value"> = {}): ReadonlyArray<SeenValue> =>
  Array.from({ length: count }, () => ({ value, ...more }))
const suggested = (seen: ReadonlyArray<SeenValue>) =>
  fold(seen)
    .groups()
    .map(({ suggestion }) => suggestion)

const noName = { ...good, name: null }

describe("FaultGroups", () => {
  it("13.1 faults of several calls are one group with their count, different examples and first places", () => {
    const values = ["late", "lost", "late", "gone", "held"].map((status) => ({ value: { ...good, status } }))
    const [group, ...more] = fold([...values, ...times(3, good)]).groups()
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual([group?.fault.path, group?.count, group?.worked], ["status", 5, 5])
    assert.deepStrictEqual(group?.examples, [
      { sent: '"late"', at: 0 },
      { sent: '"lost"', at: 1 },
      { sent: '"gone"', at: 3 }
    ])
    assert.deepStrictEqual(group?.suggestion, { _tag: "wider enum", values: ["late", "lost", "gone", "held"] })
  })

  it("13.1 each kind of fault has its own suggestion if the conversations then succeeded", () => {
    const { name: _, ...withoutName } = good
    assert.deepStrictEqual(suggested(times(2, noName)), [{ _tag: "nullable" }])
    assert.deepStrictEqual(suggested(times(2, withoutName)), [{ _tag: "optional" }])
    assert.deepStrictEqual(suggested(times(2, { ...good, cents: "12" })), [{ _tag: "wider type", type: "string" }])
    const statuses = Array.from({ length: 11 }, (_, n) => ({ value: { ...good, status: `s${n}` } }))
    assert.deepStrictEqual(suggested(statuses), [{ _tag: "wider type", type: "string" }])
  })

  it("13.1 the schema is kept if an answer is unreadable, has another shape, or the conversations then failed", () => {
    assert.deepStrictEqual(suggested(times(9, { oops: 1 })), [{ _tag: "keep" }])
    assert.deepStrictEqual(suggested(times(9, noName, { worked: false })), [{ _tag: "keep" }])
    const groups = FaultGroups.make<number>((text) => text)
    const faults = [Fault.unreadable("truncated", '{"name":"A')]
    for (let at = 0; at < 9; at++) groups.add({ tool: "a", faults, at, worked: true, answer: String(at) })
    assert.deepStrictEqual(groups.groups()[0]?.suggestion, { _tag: "keep" })
  })

  it("13.1 one faulty answer of ten relaxes the schema, and one of a hundred does not", () => {
    const tagOf = (faulty: number, fine: number) => suggested([...times(faulty, noName), ...times(fine, good)])[0]?._tag
    assert.deepStrictEqual(
      [tagOf(1, 9), tagOf(1, 99), tagOf(3, 97), tagOf(3, 997)],
      ["nullable", "keep", "nullable", "keep"]
    )
  })

  it("13.1 equal answers count once as evidence, and each call counts as a call", () => {
    const same = times(50, noName, { answer: "same" })
    const [group] = fold([...same, ...times(99, good)]).groups()
    assert.deepStrictEqual([group?.count, group?.suggestion._tag], [50, "keep"])
    assert.strictEqual(group?.reason, "1 of 100 different answers has it: too few to blame the schema.")
  })

  it("13.1 counts the calls that a change lets pass alone, and together with the others of the tool", () => {
    const both = { ...noName, status: "late" }
    const hopeless = { ...noName, cents: true }
    const groups = fold([
      ...times(4, noName),
      ...times(3, { ...good, status: "late" }),
      ...times(2, both),
      ...times(1, hopeless, { worked: false })
    ])
    assert.deepStrictEqual(
      groups.groups().map(({ count, fault, passes }) => [fault.path, count, passes]),
      [
        ["name", 7, { alone: 4, together: 6 }],
        ["status", 5, { alone: 3, together: 5 }],
        ["cents", 1, { alone: 0, together: 0 }]
      ]
    )
    assert.deepStrictEqual(groups.rejected("get_order"), { calls: 10, passes: 9 })
    assert.deepStrictEqual(fold([...times(2, noName), ...times(3, good)]).rejected("get_order"), {
      calls: 2,
      passes: 2
    })
    assert.deepStrictEqual(groups.rejected("another_tool"), { calls: 0, passes: 0 })
  })

  it("13.1 the passing calls are an upper bound if one of them has only its first fault listed", () => {
    const of = (isFirstOnly: boolean, value: unknown, worked: boolean) => {
      const groups = fold(times(3, noName))
      groups.add({ tool: "get_order", faults: faultsOf(value), at: 9, worked, answer: "large", isFirstOnly })
      return [groups.rejected("get_order").passesIsUpperBound, groups.groups()[0]?.passesIsUpperBound]
    }
    assert.deepStrictEqual(of(true, noName, true), [true, true])
    assert.deepStrictEqual(of(false, noName, true), [undefined, undefined])
    // the change that this call needs is not suggested, so the call is not counted
    assert.deepStrictEqual(of(true, { oops: 1 }, false), [undefined, undefined])
  })

  it("13.1 a secret is redacted in examples, and an enum is not widened by it", () => {
    const groups = fold(times(2, { ...good, status: "sk-1" }), (text) => text.replaceAll("sk-1", "[redacted]"))
    const [group] = groups.groups()
    assert.deepStrictEqual(group?.examples[0]?.sent, '"[redacted]"')
    assert.deepStrictEqual(group?.suggestion, { _tag: "wider type", type: "string" })
  })

  it("13.1 arguments are judged by whether the tool accepted them", () => {
    const of = (accepted: ReadonlyArray<boolean>) => {
      const groups = FaultGroups.make<number>((text) => text)
      accepted.forEach((worked, at) => groups.add({ tool: "a", faults: faultsOf(noName), at, worked }))
      const [group] = groups.groups()
      return [group?.suggestion._tag, group?.reason]
    }
    const reason = (worked: number, count: number) => `The tool accepted ${worked} of ${count} calls with it.`
    assert.deepStrictEqual(
      [of([true]), of([true, false]), of([true, false, false]), of([false])],
      [
        ["nullable", reason(1, 1)],
        ["nullable", reason(1, 2)],
        ["keep", reason(1, 3)],
        ["keep", reason(0, 1)]
      ]
    )
  })
})

describe("Suggestion.chance", () => {
  it("13.1 the chance of the faulty answers is the binomial probability, for few and for many answers", () => {
    assert.strictEqual(Suggestion.chance(0, 10), 1)
    assert.closeTo(Suggestion.chance(1, 10), 1 - 0.995 ** 10, 1e-12)
    assert.closeTo(Suggestion.chance(2, 50), 1 - 0.995 ** 50 - 50 * 0.005 * 0.995 ** 49, 1e-12)
    assert.isAbove(Suggestion.chance(500, 100_000), 0.4)
    assert.isBelow(Suggestion.chance(6_000, 1_000_000), 0.001)
    assert.isAbove(Suggestion.chance(4_000, 1_000_000), 0.99)
  })
})
