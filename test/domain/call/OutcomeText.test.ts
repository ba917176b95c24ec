import { assert, describe, it } from "@effect/vitest"
import * as Failure from "#domain/failure/Failure"
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as OutcomeText from "#domain/call/OutcomeText"
import { Duration } from "effect"

const fields = {
  tool: "refund",
  code: "timeout",
  detail: "It took too long.",
  hint: "Wait.",
  sideEffect: "unknown" as const,
  traceId: "tr_1"
}
const upper = (value: unknown) => String(value).toUpperCase()
const unchanged = (value: unknown) => value

const roundTrip = (outcome: Outcome, encode = unchanged) => OutcomeText.read(OutcomeText.write(outcome, encode))

describe("an outcome as text", () => {
  it("8.2 contains the encoded result with its digest, but not the flags of its call", () => {
    const outcome: Outcome = { ...success("paid"), bytes: 12, digest: "d", unchanged: true, idempotent: true }
    assert.deepStrictEqual(roundTrip(outcome, upper), {
      _tag: "Success",
      value: "PAID",
      json: `"PAID"`,
      bytes: 12,
      digest: "d",
      isEncoded: true
    })
  })

  it("8.2 uses the JSON text of an outcome that has one, and does not encode again", () => {
    const outcome: Outcome = { ...success(new Date(0)), json: `{"n":1}` }
    const encodeAgain = () => assert.fail("encoded twice")
    assert.deepStrictEqual(roundTrip(outcome, encodeAgain), {
      _tag: "Success",
      value: { n: 1 },
      json: `{"n":1}`,
      isEncoded: true
    })
  })

  it("8.2 writes undefined as null", () => {
    assert.deepStrictEqual(roundTrip(success(undefined)), {
      _tag: "Success",
      value: null,
      json: "null",
      isEncoded: true
    })
  })

  const failures: ReadonlyArray<Failure.Failure> = [
    new Failure.ToolArgError({ ...fields, fields: ["a.b"] }),
    new Failure.SchemaMismatch(fields),
    new Failure.SemanticGarbage(fields),
    new Failure.Transient({ ...fields, retryAfter: Duration.seconds(3) }),
    new Failure.Resource(fields),
    new Failure.Permanent(fields),
    new Failure.HumanReview({ ...fields, approvalUrl: "https://approvals.example/1" }),
    new Failure.PartialData({ ...fields, data: [1], next: { page: 2 } })
  ]
  for (const failure of failures) {
    it(`8.2 a ${failure._tag} keeps its class and its fields`, () => {
      assert.deepStrictEqual(roundTrip({ ...failed(failure), tried: ["other"] }), {
        _tag: "Failure",
        failure,
        tried: ["other"],
        isEncoded: true
      })
    })
  }

  it("3.3 a failure keeps whether the upstream answered, and whether a lookup found nothing", () => {
    const failure = new Failure.Permanent(fields)
    for (const marks of [{ isAnswered: true }, { isAbsent: true }] as const)
      assert.deepStrictEqual(roundTrip({ ...failed(failure), ...marks }), {
        _tag: "Failure",
        failure,
        ...marks,
        isEncoded: true
      })
  })

  it("8.2 contains no cause", () => {
    const causes = [
      new Error("password=hunter2"),
      {
        get message() {
          throw new Error("no")
        }
      },
      Symbol("x"),
      1n
    ]
    for (const cause of causes) {
      const text = OutcomeText.write(failed(new Failure.Permanent({ ...fields, cause })), unchanged)
      assert.notInclude(text, "cause")
      assert.notInclude(text, "hunter2")
      const { failure } = OutcomeText.read(text) as Extract<Outcome, { _tag: "Failure" }>
      assert.isFalse("cause" in failure && failure.cause !== undefined)
    }
  })

  it("8.2 encodes the data of a PartialData as the tool does", () => {
    const partial = failed(new Failure.PartialData({ ...fields, data: "rows" }))
    const read = roundTrip(partial, upper)
    assert.strictEqual(read?._tag === "Failure" && read.failure._tag === "PartialData" && read.failure.data, "ROWS")
  })

  it("8.2 writes an outcome that was read from a text as that same text", () => {
    for (const outcome of [success({ a: [1, null] }), ...failures.map(failed)]) {
      const text = OutcomeText.write(outcome, unchanged)
      const read = OutcomeText.read(text)
      assert.isDefined(read)
      assert.strictEqual(
        OutcomeText.write(read as Outcome, () => assert.fail("encoded twice")),
        text
      )
    }
  })

  it("8.2 refuses texts that are not outcomes", () => {
    for (const text of ["", "{", "null", "[]", `{"_tag":"Success"}`, `{"_tag":"Failure","failure":{"_tag":"Odd"}}`]) {
      assert.isUndefined(OutcomeText.read(text), text)
    }
  })

  it("8.2 keeps the fields that a later reader needs: acceptance, a stated failure, parts and the fallback that answered", () => {
    const kept = {
      isAccepted: true,
      statedFailure: "it says: no",
      parts: [{ type: "text", text: "a" }],
      usedFallback: "other",
      bytes: 3
    } as const
    const read = { _tag: "Success", value: 1, json: "1", isEncoded: true, ...kept }
    assert.deepStrictEqual<unknown>(roundTrip({ ...success(1), ...kept }), read)
  })

  it("8.2 writes a raw result and a stored result without encoding them again", () => {
    for (const mark of [{ isRaw: true }, { isEncoded: true }] as const) {
      const text = OutcomeText.write({ ...success("paid"), ...mark }, upper)
      assert.strictEqual((OutcomeText.read(text) as { readonly value?: unknown }).value, "paid")
    }
    const raw = roundTrip({ ...success("paid"), isRaw: true })
    assert.isTrue(raw?._tag === "Success" && raw.isRaw)
    const partial = failed(new Failure.PartialData({ ...fields, data: "rows" }))
    assert.include(OutcomeText.write({ ...partial, isEncoded: true }, upper), '"rows"')
  })

  it("8.2 encodes nothing of a failure without data", () => {
    for (const failure of failures.filter(({ _tag }) => _tag !== "PartialData"))
      OutcomeText.write(failed(failure), () => assert.fail("encoded"))
  })
})
