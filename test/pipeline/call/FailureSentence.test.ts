/** Tests the sentence about a failed call for a person, and the line about a thrown value. */
import * as Failure from "#domain/failure/Failure"
import { lineOf } from "#pipeline/call/Crash"
import * as FailureSentence from "#pipeline/call/FailureSentence"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { callOf, define } from "../support.ts"

const plain = { failure: (failure: Failure.Failure) => failure, data: (value: unknown) => value }
const keeps = { ...plain, text: (text: string) => text }
const hides = { ...plain, text: (text: string) => text.replaceAll("hunter2", "[redacted]") }
const throws = {
  ...plain,
  text: (): string => {
    throw new Error("the pattern does not terminate")
  }
}

const link = { error: "needs_review", message: "Waits.", approval_url: "https://desk.example/7" }

const failureOf = (tag: "HumanReview" | "Permanent", code: string, detail: string, cause?: unknown) =>
  Failure.make(tag, code, { tool: "search", detail, ...(cause === undefined ? {} : { cause }) })

describe("the sentence about a failed call", () => {
  for (const [what, redactor, failure, sentence] of [
    ["the redacted detail", hides, failureOf("Permanent", "gone", "hunter2 is wrong"), "[redacted] is wrong"],
    ["no detail if the redactor throws", throws, failureOf("Permanent", "gone", "hunter2 is wrong"), undefined],
    [
      "the link of a review",
      keeps,
      failureOf("HumanReview", "review", "Waits.", link),
      "Waits. Link from the tool: https://desk.example/7"
    ],
    [
      "the link after a detail without a full stop at its end",
      keeps,
      failureOf("HumanReview", "review", "Version 1.2 waits", link),
      "Version 1.2 waits. Link from the tool: https://desk.example/7"
    ],
    [
      "the link after a detail that ends with an ellipsis",
      keeps,
      failureOf("HumanReview", "review", "Waits\u2026", link),
      "Waits\u2026 Link from the tool: https://desk.example/7"
    ],
    ["the detail of a review without a cause", keeps, failureOf("HumanReview", "review", "Waits"), "Waits"],
    ["no link of a failure that is not a review", keeps, failureOf("Permanent", "gone", "Waits", link), "Waits"]
  ] as const) {
    it.effect(`10.2 contains ${what}`, () =>
      Effect.gen(function* () {
        const call = yield* callOf(define("search"))
        const text = FailureSentence.of(redactor, "search", call, { failure })
        assert.strictEqual(
          text,
          `search failed. Its code is "${failure.code}".${sentence === undefined ? "" : ` Details: "${sentence}".`}`
        )
      })
    )
  }
})

describe("the line about a thrown value", () => {
  for (const [what, thrown, line] of [
    ["an error", new RangeError("too long"), "RangeError: too long"],
    ["a text of several lines, with single spaces", "one\n\n  two\tthree", "one two three"],
    ["a long text, cut to 300 characters", "x".repeat(400), "x".repeat(300)],
    ["undefined", undefined, "undefined"],
    ["a value that cannot be converted to a string", Object.create(null), "an error that cannot be printed"]
  ] as const) {
    it(`5.4 describes ${what}`, () => {
      assert.strictEqual(lineOf(thrown), line)
    })
  }
})
