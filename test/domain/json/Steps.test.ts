/** Tests that work in steps has the result of the same work at once, and that a step ends after some of the work. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import * as CallKey from "#domain/call/CallKey"
import * as JsonText from "#domain/json/JsonText"
import * as Steps from "#domain/json/Steps"
import * as ShortText from "#domain/loop/ShortText"
import * as Redaction from "#domain/redaction/Redaction"

const finders = Redaction.makeFinders()
const limits = JsonText.resultLimits

/** Returns the result of work in steps, and the number of its steps. */
const counted = <A>(steps: Steps.Steps<A>): { readonly value: A; readonly count: number } => {
  for (let count = 1; ; count++) {
    const step = steps.next()
    if (step.done === true) return { value: step.value, count }
  }
}

const rows = (count: number, one: object = {}) =>
  Array.from({ length: count }, (_, id) => ({ id, name: `Name ${id}`, ...one }))

describe("work in steps", () => {
  it.effect("7.1 the key of a call is the same as at once", () =>
    Effect.gen(function* () {
      for (const value of yield* Arbitrary.sampleEffect(Arbitrary.schema(Schema.Json), { count: 300 })) {
        assert.strictEqual(Steps.whole(CallKey.inSteps("search", value)), CallKey.of("search", value))
      }
      const cyclic: Record<string, unknown> = {}
      cyclic["self"] = cyclic
      for (const value of [cyclic, new Date(0), { at: new Date(0), none: undefined, nan: NaN, big: 1n }, [undefined]]) {
        assert.strictEqual(Steps.whole(CallKey.inSteps("search", value)), CallKey.of("search", value))
      }
      const { count, value } = counted(CallKey.inSteps("search", rows(50_000)))
      assert.strictEqual(value, CallKey.of("search", rows(50_000)))
      assert.isAtLeast(count, 10)
    })
  )

  it("7.1 the short form of a long key is the same as at once", () => {
    const text = "a long key of a call ".repeat(50_000)
    const { count, value } = counted(ShortText.shortenInSteps(text))
    assert.strictEqual(value, ShortText.shorten(text, 256))
    assert.isAtLeast(count, 4)
  })

  it("4.9 a large text has the value, the key that is refused and the fault of the same text at once", () => {
    const { count, value } = counted(JsonText.parseInSteps(JSON.stringify(rows(40_000)), limits))
    assert.deepStrictEqual(value, JsonText.parse(JSON.stringify(rows(40_000)), limits))
    assert.strictEqual(value._tag, "Success")
    assert.isAtLeast(count, 5)
    for (const last of [
      '"__proto__":1',
      '"\\u005f_proto__":1',
      '"constructor":{"prototype":{}}',
      '"constructor":{"protot\\u0079pe":1}'
    ]) {
      const text = `[${JSON.stringify(rows(3_000)).slice(1, -1)},{${last}}]`
      const refused = Steps.whole(JsonText.parseInSteps(text, limits))
      assert.isDefined(refused._tag === "Failure" ? refused.failure.refused : undefined, last)
    }
    for (const last of ['"prototype":1', '"constructor":1', '"text":"__proto__"']) {
      const text = `[${JSON.stringify(rows(3_000)).slice(1, -1)},{${last}}]`
      assert.strictEqual(Steps.whole(JsonText.parseInSteps(text, limits))._tag, "Success", last)
    }
    const { count: scanned } = counted(JsonText.parseInSteps(JSON.stringify(rows(40_000)).slice(0, -1), limits))
    assert.isAtLeast(scanned, 10)
  })

  it("4.15 a long text loses the same secrets as its parts", () => {
    const line = "logged in with password=hunter22 and a note\n"
    for (const [shown, hidden] of [
      ["password", "password"],
      ["pass\u200bword", "pass\u200bword"]
    ] as const) {
      const text = line.replace("password", hidden).repeat(20_000)
      const { count, value } = counted(Redaction.redactInSteps(finders, { text }))
      const one = Redaction.redactSecrets(finders, line.replace("password", shown), false)
      assert.include(one, "[redacted]")
      assert.deepStrictEqual(value, { text: one.repeat(20_000) })
      assert.isAtLeast(count, 10)
    }
  })

  it("4.15 a large value without secrets is returned as it is", () => {
    const value = { rows: rows(20_000), text: "a sentence ".repeat(50_000) }
    const redacted = counted(Redaction.redactInSteps(finders, value))
    assert.strictEqual(redacted.value, value)
    assert.isAtLeast(redacted.count, 10)
    const secret = { rows: rows(20_000, { password: "hunter22" }) }
    assert.deepStrictEqual(Steps.whole(Redaction.redactInSteps(finders, secret)), {
      rows: rows(20_000, { password: "[redacted]" })
    })
  })
})
