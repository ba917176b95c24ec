/** Tests what the stage `redact` leaves out of results, of their continuation, of refusals and of parts. */
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import type { PlainPart } from "#domain/parts/Part"
import { compiledOf } from "#pipeline/call/CompiledTool"
import type { Reading } from "#pipeline/call/ModelStage"
import { redact } from "#pipeline/stages/redact"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { define } from "../support.ts"

const secret = ["AKIA", "Z3MSJV4WWNKWW5FG"].join("")
const hidden = "[redacted]"

/** Runs the stage for an outcome that is written as it is. */
const made = (outcome: Outcome, more: Partial<Reading> = {}) =>
  Effect.gen(function* () {
    const around = (yield* redact.make)(compiledOf(define("search")))
    // the stage reads no other field
    const reading = { outcome, encode: (value: unknown) => value, input: {}, isDecoded: false, ...more } as Reading
    const read = around(reading)
    return Effect.isEffect(read) ? yield* read : read
  }).pipe(Effect.provide(Guard.memory))

const failureIn = ({ outcome }: Reading): Failure.Failure => {
  assert(outcome._tag === "Failure")
  return outcome.failure
}

const shared = { detail: "d", hint: "Call again.", tool: "t", traceId: "i" }
const partial = (next: unknown) =>
  failed(Failure.make("PartialData", "incomplete_result", { ...shared, data: { n: 1 }, next }))

describe("redact: results", () => {
  it.effect("4.15 a result without a secret keeps its text, and one with a secret is written again", () =>
    Effect.gen(function* () {
      const plain = yield* made(success({ q: "a" }), { json: '{"q":"a"}' })
      assert.deepStrictEqual([plain.json, plain.encode({ q: "a" })], ['{"q":"a"}', { q: "a" }])
      const masked = yield* made(success({ q: secret }), { json: JSON.stringify({ q: secret }) })
      assert.deepStrictEqual([masked.json, masked.encode({ q: secret })], [undefined, { q: hidden }])
      const unwritten = yield* made(success({ q: secret }))
      assert.deepStrictEqual([unwritten.json, unwritten.encode({ q: secret })], [undefined, { q: hidden }])
    })
  )
})

describe("redact: failures", () => {
  it.effect("4.15 the changed arguments of an incomplete result are left out if they contain a secret", () =>
    Effect.gen(function* () {
      const kept = failureIn(yield* made(partial({ q: "b" })))
      assert(kept._tag === "PartialData")
      assert.deepStrictEqual([kept.next, kept.hint], [{ q: "b" }, "Call again."])
      const dropped = failureIn(yield* made(partial({ q: secret })))
      assert(dropped._tag === "PartialData")
      assert.deepStrictEqual([dropped.next, dropped.data, dropped.code], [undefined, { n: 1 }, "incomplete_result"])
      assert.strictEqual(dropped.hint, "The rest cannot be fetched from here. Ask for a smaller part instead.")
      const whole = failureIn(yield* made(partial(undefined)))
      assert.strictEqual(whole.hint, "Call again.")
    })
  )

  it.effect("4.15 the data of an incomplete result is redacted when it is written", () =>
    Effect.gen(function* () {
      const { encode } = yield* made(partial(undefined))
      assert.deepStrictEqual(encode({ q: secret }), { q: hidden })
    })
  )

  it.effect("3.5 the fields of a declared refusal are redacted like a result", () =>
    Effect.gen(function* () {
      const of = (refusal: unknown) =>
        Effect.map(
          made(failed(Failure.make("Permanent", "sold_out", { ...shared, sideEffect: "none", refusal }))),
          (read) => Failure.refusalOf(failureIn(read))
        )
      assert.deepStrictEqual(yield* of({ _tag: "SoldOut", note: secret }), { _tag: "SoldOut", note: hidden })
      assert.deepStrictEqual(yield* of({ _tag: "SoldOut", note: "a" }), { _tag: "SoldOut", note: "a" })
      assert.isUndefined(yield* of(undefined))
    })
  )
})

describe("redact: parts", () => {
  const partsOf = (...parts: ReadonlyArray<PlainPart>) =>
    Effect.map(made(success({ n: 1 }), { parts }), (reading) => reading.parts)
  const file = (data: string, more: object = {}) =>
    ({ type: "file", mediaType: "text/plain", data, ...more }) as PlainPart // a file with every field that a test sets

  it.effect("4.15 texts, names and the content of text files are redacted", () =>
    Effect.gen(function* () {
      const parts = yield* partsOf(
        { type: "text", text: secret },
        file("YWJj", { fileName: `${secret}.txt` }),
        file("YWJj", { fileName: "a.txt" }),
        file("YWJj"),
        file(Buffer.from(secret).toString("base64"))
      )
      assert.deepStrictEqual(parts, [
        { type: "text", text: hidden },
        file("YWJj", { fileName: `${hidden}.txt` }),
        file("YWJj", { fileName: "a.txt" }),
        file("YWJj"),
        file(Buffer.from(hidden).toString("base64"))
      ])
    })
  )

  it.effect("4.15 a file whose address contains a secret is replaced by a note, and another is kept", () =>
    Effect.gen(function* () {
      const address = `https://files.example/a?key=${secret}`
      const [shown, masked] = (yield* partsOf(file("https://files.example/a"), file(address))) ?? []
      assert.deepStrictEqual(shown, file("https://files.example/a"))
      assert.deepStrictEqual(masked, {
        type: "text",
        text: "[text/plain: its address contains a secret and is not shown]"
      })
    })
  )

  it.effect("4.15 without parts, none are added", () =>
    Effect.gen(function* () {
      assert.notProperty(yield* made(success({ n: 1 })), "parts")
    })
  )
})
