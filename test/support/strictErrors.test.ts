/** Tests that the assertions of all tests compare every field of a failure. */
import * as Failure from "#domain/failure/Failure"
import { assert, it } from "@effect/vitest"
import * as Exit from "effect/Exit"

const failure = (sideEffect: "none" | "unknown"): Failure.Failure =>
  new Failure.Transient({ tool: "pay", code: "timeout", detail: "x", hint: "x", sideEffect, traceId: "t" })

it("3.2 two failures with one message and another side effect are not equal, also in an Exit", () => {
  assert.deepStrictEqual(Exit.fail(failure("none")), Exit.fail(failure("none")))
  assert.throws(() => assert.deepStrictEqual(failure("none"), failure("unknown")))
  assert.throws(() => assert.deepStrictEqual(Exit.fail(failure("none")), Exit.fail(failure("unknown"))))
})
