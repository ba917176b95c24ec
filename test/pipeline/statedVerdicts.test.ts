import { Guard } from "#src/guard/Guard"
import * as Shadow from "#src/guard/Shadow"
import { statedGarbage, statedPartial } from "#src/checks/Checks"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ask, asked, failureOf, response, settled, tool, within } from "./support.ts"

const part = {
  status: "partial",
  data: { n: 3 },
  error: { message: "3 of 47 rows", next: { q: "b" }, hint: "Filter." }
}
const checks = { statedPartial }

/** The forms in which a handler answers with an envelope. */
const answers = {
  "a value": (envelope: object): unknown => envelope,
  "a text": (envelope: object): unknown => JSON.stringify(envelope),
  "a response":
    (envelope: object): unknown =>
    () =>
      Effect.succeed(response(200, JSON.stringify(envelope)))
}

describe("the check statedPartial", () => {
  for (const [form, answer] of Object.entries(answers)) {
    it.effect(`4.10 (mission 003.44) ${form} with an incomplete result fails a program's call with PartialData`, () => {
      const made = tool(
        "list_it",
        { checks, parameters: Schema.Struct({ q: Schema.String, z: Schema.Int }) },
        answer(part)
      )
      return Effect.gen(function* () {
        const failure = yield* failureOf(made.tool.call({ q: "a", z: 7 }))
        assert.deepInclude(failure, {
          _tag: "PartialData",
          code: "incomplete_result",
          data: { n: 3 },
          detail: "3 of 47 rows",
          next: { q: "b", z: 7 },
          sideEffect: "none"
        })
      }).pipe(within([made.layer]))
    })
  }

  it.effect("4.10 the data is decoded by the contract", () => {
    const success = Schema.Struct({ at: Schema.DateFromString })
    const day = "2026-01-02T00:00:00.000Z"
    const made = tool("list_it", { checks, success }, JSON.stringify({ status: "partial", data: { at: day } }))
    return Effect.gen(function* () {
      const failure = yield* failureOf(made.tool.call({ q: "a" }))
      assert.deepInclude(failure, { _tag: "PartialData", data: { at: new Date(day) } })
    }).pipe(within([made.layer]))
  })

  for (const next of [undefined, {}, { q: 7 }, { page: 2 }, ["q"], "b"]) {
    it.effect(`4.10 the \`next\` ${JSON.stringify(next)} is left out, and the hint remains`, () => {
      const made = tool("list_it", { checks }, { ...part, error: { ...part.error, next } })
      return Effect.gen(function* () {
        const failure = yield* failureOf(made.tool.call({ q: "a" }))
        assert.strictEqual(failure._tag, "PartialData")
        assert.isFalse("next" in failure)
        assert.include(failure.hint, "Filter.")
      }).pipe(within([made.layer]))
    })
  }

  it.effect("4.9 data that violates the contract is a SchemaMismatch", () => {
    const made = tool("list_it", { checks }, { ...part, data: { n: "three" } })
    return Effect.gen(function* () {
      const failure = yield* failureOf(made.tool.call({ q: "a" }))
      assert.deepInclude(failure, { _tag: "SchemaMismatch", code: "invalid_result", fields: ["n"] })
      assert.notInclude(failure.detail, "statedPartial")
    }).pipe(within([made.layer]))
  })

  it.effect("4.9 without the check, a program reads which check passes the envelope on", () => {
    const made = tool("list_it", {}, part)
    return Effect.gen(function* () {
      const failure = yield* failureOf(made.tool.call({ q: "a" }))
      assert.deepInclude(failure, { _tag: "SchemaMismatch", code: "invalid_result" })
      assert.match(failure.detail, /the check `statedPartial` passes it on as PartialData\.$/)
    }).pipe(within([made.layer]))
  })

  it.effect("4.10 other checks read the data, and garbage outweighs the envelope", () => {
    const seen: Array<unknown> = []
    const odd = (result: unknown) => {
      seen.push(result)
      return { _tag: "Garbage", code: "odd", detail: "Three is odd." } as const
    }
    const made = tool("list_it", { checks: { statedPartial, odd } }, part)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(made.tool.call({ q: "a" })), ["SemanticGarbage", "odd", "none"])
      assert.deepStrictEqual(seen, [{ n: 3 }])
    }).pipe(within([made.layer]))
  })

  it.effect("3.3 a write whose answer is incomplete is reported as done", () => {
    const made = tool("close_it", { checks, access: "write" }, part)
    return Effect.gen(function* () {
      const failure = yield* failureOf(made.tool.call({ q: "a" }))
      assert.deepInclude(failure, { _tag: "PartialData", sideEffect: "committed", data: { n: 3 } })
      assert.strictEqual(failure.detail, "close_it was done; its result is incomplete: 3 of 47 rows")
    }).pipe(within([made.layer]))
  })

  for (const [what, definition, guard] of [
    ["`enforce: advise`", { enforce: "advise" }, Guard.layerMemory],
    ["a shadow guard", {}, Shadow.layerMemory]
  ] as const) {
    it.effect(`2.2 under ${what}, a program gets the data as a success`, () => {
      const made = tool("list_it", { checks, ...definition }, part)
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(made.tool.call({ q: "a" })), { n: 3 })
      }).pipe(within([made.layer], guard))
    })
  }

  it.effect("3.4 a complete result, and a contract that declares `status`, are not changed", () => {
    const success = Schema.Struct({ status: Schema.String, data: Schema.Json, error: Schema.optionalKey(Schema.Json) })
    const whole = tool("list_it", { checks, success }, part)
    const plain = tool("read_it", { checks }, { n: 1 }, { status: "success", data: { n: 2 } })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(whole.tool.call({ q: "a" })), part)
      assert.deepStrictEqual(yield* settled(plain.tool.call({ q: "a" })), { n: 1 })
      assert.deepStrictEqual(yield* settled(plain.tool.call({ q: "b" })), { n: 2 })
    }).pipe(within([whole.layer, plain.layer]))
  })
})

const garbage = {
  error_class: "semantic_garbage",
  code: "WRONG_UNIT",
  message: "The sensor reports Fahrenheit",
  fields: ["degrees"],
  hint: "Ask for celsius."
}

/** The forms in which a handler rejects its own result. */
const forms = {
  "an envelope": { status: "error", error: garbage },
  "a flat answer": garbage,
  "a failure": Effect.fail(garbage),
  "the body of an HTTP error": () => Effect.succeed(response(422, JSON.stringify(garbage)))
}

describe("the check statedGarbage", () => {
  for (const [form, answer] of Object.entries(forms)) {
    it.effect(`3.4 (mission 003.44) ${form} with semantic_garbage fails a program's call with SemanticGarbage`, () => {
      const made = tool("read_it", { checks: { statedGarbage } }, answer)
      const untyped = tool("look_it_up", {}, answer)
      return Effect.gen(function* () {
        const failure = yield* failureOf(made.tool.call({ q: "a" }))
        assert.deepInclude(failure, {
          _tag: "SemanticGarbage",
          code: "wrong_unit",
          fields: ["degrees"],
          hint: "Ask for celsius.",
          sideEffect: "none"
        })
        assert.include(failure.detail, "The sensor reports Fahrenheit")
        assert.deepStrictEqual(yield* settled(untyped.tool.call({ q: "a" })), ["Permanent", "wrong_unit", "none"])
      }).pipe(within([made.layer, untyped.layer]))
    })

    it.effect(`5.2 a model reads semantic_garbage of ${form} without the check`, () => {
      const made = tool("read_it", {}, answer)
      return Effect.gen(function* () {
        const { error } = (yield* ask([made.tool], "read_it", { q: "a" })).envelope
        assert.deepInclude(error, {
          error_class: "semantic_garbage",
          code: "wrong_unit",
          hint: "Ask for celsius.",
          retryable: false
        })
        assert.include(error.message, "The sensor reports Fahrenheit")
      }).pipe(within([made.layer]))
    })
  }

  it.effect("3.4 an error without a code and a hint has the code stated_garbage and a hint", () => {
    const made = tool(
      "read_it",
      { checks: { statedGarbage } },
      { error_class: "semantic_garbage", message: "Nonsense" }
    )
    return Effect.gen(function* () {
      const failure = yield* failureOf(made.tool.call({ q: "a" }))
      assert.deepInclude(failure, { _tag: "SemanticGarbage", code: "stated_garbage", detail: "Nonsense" })
      assert.match(failure.hint, /^The tool rejects its own result\. /)
    }).pipe(within([made.layer]))
  })

  it.effect("3.3 a write that rejects its own result has an unknown effect, and the run continues", () => {
    const made = tool("close_it", { checks: { statedGarbage }, access: "write" }, garbage)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked(made.tool, { q: "a" }), ["SemanticGarbage", "wrong_unit", "unknown"])
      assert.deepStrictEqual(yield* settled(made.tool.call({ q: "b" })), ["SemanticGarbage", "wrong_unit", "unknown"])
    }).pipe(within([made.layer]))
  })

  it.effect("4.6 the identical call of a model is answered without an attempt", () => {
    const made = tool("read_it", { checks: { statedGarbage } }, garbage)
    return Effect.gen(function* () {
      yield* asked(made.tool, { q: "a" })
      yield* asked(made.tool, { q: "a" })
      assert.strictEqual(made.runs(), 1)
    }).pipe(within([made.layer]))
  })
})
