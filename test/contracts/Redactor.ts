/** Tests that every layer of Redactor must pass, whatever its policy for results is. */
import * as Failure from "#domain/failure/Failure"
import { Redactor } from "#services/Redactor"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type * as Layer from "effect/Layer"

/** Split in two, so that secret scanners ignore this file. */
const secret = ["glpat-", "4fXcD9kLmN2pQr7sTuVw"].join("")

export const redactorContract = (name: string, layer: Layer.Layer<Redactor>): void => {
  describe(`Redactor (${name})`, () => {
    it.layer(layer)((it) => {
      it.effect("4.15 removes secrets, stack and path from a failure, and keeps its class", () =>
        Effect.gen(function* () {
          const redactor = yield* Redactor
          const failure = new Failure.Transient({
            tool: "search_orders",
            code: "unavailable",
            detail: `No answer for ${secret}\n    at run (/srv/app/src/index.ts:3:1)`,
            hint: "See /srv/app/README.md.",
            sideEffect: "none",
            traceId: "t-1",
            fields: ["token"],
            cause: new Error(secret)
          })
          const redacted = redactor.failure(failure)
          assert.instanceOf(redacted, Failure.Transient)
          assert.strictEqual(redacted.detail, "No answer for [redacted]")
          assert.strictEqual(redacted.hint, "See [redacted]/README.md.")
          assert.deepStrictEqual(
            [redacted.tool, redacted.code, redacted.sideEffect, redacted.traceId, redacted.fields],
            [failure.tool, failure.code, failure.sideEffect, failure.traceId, failure.fields]
          )
        })
      )

      it.effect("4.15 returns a failure without secrets as the same object", () =>
        Effect.gen(function* () {
          const redactor = yield* Redactor
          const failure = new Failure.ToolArgError({
            tool: "read_file",
            code: "unknown_reference",
            detail: "/home/u/notes.md does not exist",
            hint: "Check the name.",
            sideEffect: "none",
            traceId: "t-1"
          })
          assert.strictEqual(redactor.failure(failure, { path: "/home/u/notes.md" }), failure)
        })
      )

      it.effect("4.15 removes secrets from a text", () =>
        Effect.gen(function* () {
          const redactor = yield* Redactor
          assert.strictEqual(
            redactor.text(`refused: password=hunter2 ${secret}`),
            "refused: password=[redacted] [redacted]"
          )
          assert.strictEqual(redactor.text("Refund 120 cents of order o-1"), "Refund 120 cents of order o-1")
        })
      )

      it.effect("4.15 returns data without secrets as the same object, and redaction is idempotent", () =>
        Effect.gen(function* () {
          const redactor = yield* Redactor
          const data = { orders: [{ id: "o-1", at: "2026-01-01T00:00:00Z", cents: 120, note: null }], has_more: false }
          assert.strictEqual(redactor.data(data), data)
          const once = redactor.data({ token: secret, list: [secret] })
          assert.deepStrictEqual(redactor.data(once), once)
        })
      )
    })
  })
}
