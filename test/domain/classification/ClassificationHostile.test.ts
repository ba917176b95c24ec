/** Tests that the classifier accepts any thrown value, and that its work is linear and bounded. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { classify } from "#domain/classification/Classification"
import { codes } from "#domain/failure/FailureCode"
import { growth } from "../../support/cpuTime.ts"

const write = { access: "write" } as const

const isSound = (error: unknown) => {
  const classified = classify(error, write)
  assert.isTrue(Object.hasOwn(codes, classified.code))
  assert.isAtMost(classified.detail.length, 200)
  assert.notStrictEqual(classified.detail.trim(), "")
  assert.notInclude(classified.detail, "\n")
}

const cycle: Record<string, unknown> = { message: "round" }
cycle["cause"] = cycle
cycle["errors"] = [cycle, { cause: cycle }]

const chain = (length: number): Error =>
  Array.from({ length }).reduce<Error>((cause, _, index) => new Error(`level ${index}`, { cause }), new Error("bottom"))

const hostile: ReadonlyArray<readonly [what: string, error: unknown]> = [
  ["undefined", undefined],
  ["null", null],
  ["a number", 42],
  ["a symbol", Symbol("x")],
  ["a function", () => 1],
  ["an empty string", ""],
  ["an empty object", {}],
  ["an object without a prototype", Object.create(null)],
  ["a cycle", cycle],
  ["a chain of ten thousand causes", chain(10_000)],
  [
    "getters that throw",
    Object.defineProperties(
      {},
      Object.fromEntries(
        ["message", "code", "cause", "name"].map((key) => [
          key,
          {
            get: () => {
              throw new Error("no")
            }
          }
        ])
      )
    )
  ],
  [
    "a proxy that throws",
    new Proxy(
      {},
      {
        get: () => {
          throw new Error("no")
        },
        getPrototypeOf: () => null
      }
    )
  ],
  [
    "codes that are names of the prototype",
    { code: "constructor", type: "__proto__", name: "toString", status: "hasOwnProperty" }
  ],
  ["unusual numbers", { status: Number.NaN, code: Number.POSITIVE_INFINITY, errno: -0, retryAfter: Number.NaN }],
  [
    "headers that throw",
    {
      status: 429,
      headers: {
        entries: () => {
          throw new Error("no")
        }
      }
    }
  ],
  [
    "endless headers",
    {
      status: 429,
      headers: {
        *entries() {
          for (let i = 0; i < 1e6; i++) yield [`h${i}`, "x"]
        }
      }
    }
  ],
  ["bytes", new Uint8Array(1e6)],
  ["deep JSON", `${'[{"a":'.repeat(5000)}1`],
  ["half of a JSON text", '{"error":{"message":"it was c'],
  ["lone surrogates", "\ud800".repeat(300)],
  ["control characters", "\u0000\u0007\u001b[31m"]
]

/** Texts whose repetition makes an expression with unbounded quantifiers backtrack from each position. */
const slow: ReadonlyArray<string> = [
  "a",
  " ",
  "\n",
  "exceed ",
  "connection to ",
  "input token ",
  "'",
  "{'a",
  "((((",
  "A.B",
  "aError: ",
  "1",
  "try again in ",
  "cannot be ",
  "ERR_",
  "/*",
  "not found ",
  "per minute exceeded "
]

describe("classify: hostile errors", () => {
  for (const [what, error] of hostile) it(`3.1 classifies ${what}`, () => isSound(error))

  it.prop("3.1 classifies any JSON value", [Schema.Json], ([value]) => isSound(value))

  it.prop(
    "3.1 classifies errors with any texts in their fields",
    [Schema.String, Schema.String, Schema.Int],
    ([message, code, status]) => isSound({ message, code, status, body: `${code}{"error":'${message}'` })
  )

  const fields = `body cause cmd code data detail details error errno errors exitCode headers input message name param
    path reason response retry_after signal sqlMessage sqlState stack status statusCode syscall type`
  it.each(fields.split(/\s+/u))("3.1 classifies an error whose %s is an object that has no text", (field) => {
    const objects: ReadonlyArray<unknown> = [Object.create(null), [Object.create(null)], Symbol("x"), 5n, () => 1]
    for (const value of objects) {
      for (const code of ["bad_response_status_code", "ENOENT", "42501", 404]) isSound({ code, [field]: value })
    }
    const text = JSON.stringify({ error: { message: "", code: "x1", [field]: { nested: { deep: 1 } } } })
    isSound(text)
    isSound({ message: text })
    isSound({ body: text })
  })

  it("3.1 does not classify an error without evidence as transient", () => {
    assert.deepStrictEqual(classify({}, write), {
      tag: "Permanent",
      code: "tool_failed",
      detail: "The tool failed without an error message.",
      sideEffect: "unknown",
      ground: "no evidence",
      isAnswered: true,
      rule: "default"
    })
  })

  const classifying = (text: string) => () => void classify(text, write)

  for (const unit of slow) {
    it(`3.1 does linear work for repetitions of ${JSON.stringify(unit)}`, () => {
      const repeated = (length: number) => unit.repeat(Math.ceil(length / unit.length))
      assert.isBelow(growth(classifying(repeated(1_024)), classifying(repeated(8_192))), 28)
    })
  }

  it("3.1 reads only the beginning of a text of several megabytes", () => {
    assert.isBelow(growth(classifying("x".repeat(8_192)), classifying("x".repeat(5_000_000))), 8)
  })
})
