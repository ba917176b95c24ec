/** Tests outcomes that are written for a store and read back, and outcomes that a person has settled. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import type { Turn } from "#domain/turn/Turn"
import { compiledOf } from "#pipeline/call/CompiledTool"
import * as SettledOutcome from "#pipeline/record/SettledOutcome"
import * as StoredOutcome from "#pipeline/record/StoredOutcome"
import { brief, callOf, define } from "../support.ts"

const definition = { access: "write", success: Schema.Struct({ at: Schema.Date }), answers: "json" }
const pay = define("pay", definition)
const advising = define("pay", { ...definition, enforce: "advise" })
const inHalf = define("pay", { ...definition, enforce: { share: 0.5 } })
const look = define("look", { ...definition, access: "read" })

const at = new Date(0)
const encoded = { at: "1970-01-01T00:00:00.000Z" }
const wrong = { at: 7 }
const fields = { tool: "pay", code: "more", detail: "More.", hint: "", sideEffect: "committed", traceId: "t" } as const
const partial = (data: unknown) => failed(new Failure.PartialData({ ...fields, data }))
const permanent = failed(new Failure.Permanent(fields))

/** Returns the class, the code, the side effect and the detail of a failed outcome. */
const summary = (outcome: Outcome) =>
  outcome._tag === "Failure" ? [...brief(outcome.failure), outcome.failure.detail] : outcome

const plain = (outcome: object): unknown => JSON.parse(JSON.stringify(outcome))

describe("StoredOutcome", () => {
  it.effect("8.2 an outcome that is written and read back is the same outcome", () =>
    Effect.gen(function* () {
      const call = yield* callOf(pay)
      for (const outcome of [
        success({ at }),
        { ...success({ at }), bytes: 3, digest: "d", usedFallback: "b", isAccepted: true as const },
        partial({ at }),
        permanent
      ]) {
        const read = StoredOutcome.read(call, StoredOutcome.write(call, outcome))
        // the store also has the text of the result
        assert.deepStrictEqual(plain({ ...read, json: undefined }), plain(outcome))
        if (read._tag === "Success") assert.deepStrictEqual(read.value, { at })
      }
    })
  )

  it.effect("8.2 an outcome that cannot be written or read is reported as done", () =>
    Effect.gen(function* () {
      for (const [tool, sideEffect] of [
        [pay, "committed"],
        [look, "none"]
      ] as const) {
        const call = yield* callOf(tool)
        const unreadable = (why: string) => [
          "SchemaMismatch",
          "done_unreadable",
          sideEffect,
          `The action was done. ${why}`
        ]
        const stored = StoredOutcome.write(call, success({ at: "no date" }))
        assert.deepStrictEqual(
          summary(StoredOutcome.read(call, stored)),
          unreadable("Its answer could not be written.")
        )
        for (const text of ["", "{", '{"_tag":"Other"}'])
          assert.deepStrictEqual(summary(StoredOutcome.read(call, text)), unreadable("Its stored outcome is damaged."))
        const damaged = StoredOutcome.read(call, `{${"x".repeat(300)}`)
        assert.strictEqual(damaged._tag === "Failure" && damaged.failure.cause, `{${"x".repeat(199)}`)
        for (const outcome of [success(wrong), partial(wrong)])
          assert.deepStrictEqual(
            summary(StoredOutcome.read(call, StoredOutcome.write(call, { ...outcome, isEncoded: true }))),
            unreadable("The tool's contract has changed since then.")
          )
      }
    })
  )

  it("8.2 a stored result is decoded by the current tool; a raw result must conform unless the tool only advises", () => {
    for (const [tool, acceptsAnyShape, outcome, expected] of [
      // outcomes that were never stored
      [pay, false, success({ at }), success({ at })],
      [pay, false, partial({ at }), partial({ at })],
      [pay, false, { ...success(encoded), isEncoded: true }, success({ at })],
      [pay, true, { ...success(wrong), isEncoded: true }, undefined],
      [pay, false, { ...partial(encoded), isEncoded: true }, partial({ at })],
      [pay, false, { ...partial(wrong), isEncoded: true }, undefined],
      [pay, false, { ...permanent, isEncoded: true }, permanent],
      [pay, false, { ...success(encoded), isEncoded: true, isRaw: true }, success({ at })],
      [pay, false, { ...success(encoded), isRaw: true }, success({ at })],
      [pay, true, { ...success(wrong), isEncoded: true, isRaw: true }, undefined],
      [advising, false, { ...success(wrong), isEncoded: true, isRaw: true }, undefined],
      [advising, true, { ...success(wrong), isEncoded: true, isRaw: true }, { ...success(wrong), isRaw: true }]
    ] as const)
      assert.deepStrictEqual<unknown>(
        StoredOutcome.revived({ acceptsAnyShape, tool: compiledOf(tool), turn: undefined }, outcome as Outcome),
        expected
      )
  })

  it("8.2 a raw result must conform in the conversations in which the contract is enforced", () => {
    const outcome = { ...success(wrong), isEncoded: true, isRaw: true } as const
    const revivedIn = (turn: Turn | undefined) =>
      StoredOutcome.revived({ acceptsAnyShape: true, tool: compiledOf(inHalf), turn }, outcome)
    const raw: Outcome = { ...success(wrong), isRaw: true }
    assert.deepStrictEqual(
      ["c-1", "c-2"].map((conversation) => revivedIn({ conversation, turn: "t", tenant: "default" })),
      [raw, undefined]
    )
    assert.deepStrictEqual(revivedIn(undefined), raw)
  })
})

describe("SettledOutcome", () => {
  it.effect("10.5 an action that a person found done has the given result, or reports that it was done", () =>
    Effect.gen(function* () {
      const call = yield* callOf(pay)
      const done = (settlement: object | undefined) => SettledOutcome.done(call, { settlement } as UnknownOutcome)
      assert.deepStrictEqual<unknown>(done({ by: "ana", result: encoded }), { ...success({ at }), idempotent: true })
      for (const [settlement, code, detail] of [
        [{ by: "ana" }, "done_without_result", "ana found that pay was done."],
        [undefined, "done_without_result", " found that pay was done."],
        [
          { by: "ana", result: wrong },
          "done_unreadable",
          "ana found that pay was done; the given result does not match the contract of the tool."
        ]
      ] as const) {
        const outcome = done(settlement)
        assert.deepStrictEqual(summary(outcome), ["SchemaMismatch", code, "committed", detail])
        assert.isTrue(outcome._tag === "Failure" && outcome.recalled)
      }
    })
  )
})
