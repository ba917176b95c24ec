/** Tests errors that a tool states with the fields of an envelope, in several forms. */
import * as EscalationScripted from "#layers/EscalationScripted"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ask, response, scripted, start, type Tool, within } from "./support.ts"

/** Creates a tool that returns this answer, or fails with it, and counts its executions. */
const made = (access: "read" | "write", answer: unknown, definition: object = {}) => {
  const script = scripted(answer)
  // the types of a dynamic tool are known only at run time
  const tool = GuardedTool.dynamic("look_up", {
    access,
    description: "Looks up one order.",
    retry: { attempts: 1 },
    ...definition,
    handler: script.handler
  } as never) as unknown as Tool
  return { tool, runs: script.runs }
}

const validation = {
  error: "VALIDATION_ERROR",
  message: "Two fields are wrong",
  fields: ["order_id", { field: "amount" }]
}
const timeout = { error: "UPSTREAM_TIMEOUT", retryable: true, retry_after_ms: 3_000, max_retries: 3, attempt: 1 }
const approval = {
  error: "REQUIRES_HUMAN_APPROVAL",
  message: "This deletes 2847 records",
  human_review: true,
  approval_url: "https://tool.example/approve/1"
}

/** The forms in which a tool states an error. */
const forms = {
  "a value": (error: object): unknown => error,
  "a failure": (error: object): unknown => Effect.fail(error),
  "the error of an envelope": ({ error, ...rest }: any): unknown => ({
    status: "error",
    error: { code: error, message: error, ...rest }
  }),
  "an object in `error`": ({ error, ...rest }: any): unknown => ({ error: { type: error, message: error, ...rest } }),
  "the text of a response":
    (error: object): unknown =>
    () =>
      Effect.succeed(response(200, JSON.stringify(error)))
}

const errorOf = (tool: Tool) => Effect.map(ask([tool], "look_up", "{}"), ({ envelope }) => envelope.error)

describe("an error with the fields of an envelope", () => {
  for (const [form, stated] of Object.entries(forms)) {
    it.effect(`3.4 VALIDATION_ERROR as ${form} keeps its class, its message and its fields`, () =>
      Effect.gen(function* () {
        const error = yield* errorOf(made("read", stated(validation)).tool)
        assert.deepInclude(error, { error_class: "tool_arg_error", fields: ["order_id", "amount"], retryable: false })
        assert.include(error.message, "Two fields are wrong")
      }).pipe(within([]))
    )

    it.effect(`3.4 UPSTREAM_TIMEOUT as ${form} is repeated by the guard after the stated wait`, () =>
      Effect.gen(function* () {
        const { runs, tool } = made("read", stated(timeout), { retry: { attempts: 2 } })
        const fiber = yield* start(errorOf(tool))
        yield* TestClock.adjust(2_900)
        assert.strictEqual(runs(), 1)
        yield* TestClock.adjust("1 minute")
        const error = yield* Fiber.join(fiber)
        assert.strictEqual(runs(), 2)
        assert.strictEqual(error.error_class, "transient")
        assert.isAtLeast(error.retry_after_ms, 3_000)
      }).pipe(within([]))
    )

    it.effect(`3.4 REQUIRES_HUMAN_APPROVAL as ${form} needs a person, and is not an approval of the guard`, () =>
      Effect.gen(function* () {
        const error = yield* errorOf(made("read", stated(approval)).tool)
        assert.deepInclude(error, {
          error_class: "human_review",
          code: "review_requested",
          human_review: true,
          next_step: "ask_user",
          retryable: false
        })
        assert.include(error.message, "This deletes 2847 records")
        assert.notInclude(JSON.stringify(error), "tool.example")
        const { informed } = yield* EscalationScripted.EscalationTranscript
        assert.strictEqual(informed.length, 1)
        assert.include(
          informed[0]?.sentence,
          'Details: "This deletes 2847 records. Link from the tool: https://tool.example/approve/1"'
        )
      }).pipe(within([], Guard.layerMemoryWith(EscalationScripted.layer([]))))
    )

    it.effect(`3.4 (mission 003.44) nothing of the three formats as ${form} is lost`, () =>
      Effect.gen(function* () {
        const wait = { retry_after_ms: 60_000 }
        const [invalid, late, asking] = yield* Effect.forEach(
          [validation, { ...timeout, ...wait, message: "The stock is slow" }, approval],
          (error) => Guard.turn(errorOf(made("read", stated(error)).tool))
        )
        assert.deepInclude(invalid, { error_class: "tool_arg_error", fields: ["order_id", "amount"] })
        assert.include(invalid.message, "Two fields are wrong")
        assert.deepInclude(late, {
          error_class: "transient",
          code: "timeout",
          retryable: true,
          message: "The stock is slow"
        })
        assert.isAtLeast(late.retry_after_ms, 60_000)
        assert.deepInclude(asking, { error_class: "human_review", human_review: true })
        assert.include(asking.message, "This deletes 2847 records")
        const { informed } = yield* EscalationScripted.EscalationTranscript
        assert.include(informed[0]?.sentence, "https://tool.example/approve/1")
      }).pipe(within([], Guard.layerMemoryWith(EscalationScripted.layer([]))))
    )

    for (const error of [validation, { ...timeout, side_effect: "none" }, approval]) {
      it.effect(`3.3 ${error.error} of a write as ${form} leaves the side effect unknown, and is not repeated`, () =>
        Effect.gen(function* () {
          const { runs, tool } = made("write", stated(error))
          const shown = yield* errorOf(tool)
          assert.deepInclude(shown, { side_effect: "unknown", retryable: false })
          assert.strictEqual(runs(), 1)
          yield* errorOf(tool)
          assert.strictEqual(runs(), 1)
        }).pipe(within([]))
      )
    }
  }

  it.effect("5.1 the class, the code and the hint of an error are kept", () =>
    Effect.gen(function* () {
      const error = {
        error_class: "resource",
        code: "RowQuotaUsed",
        message: "No rows left",
        hint: "Ask for fewer rows."
      }
      const shown = yield* errorOf(made("read", { status: "error", error }).tool)
      assert.deepInclude(shown, { error_class: "resource", code: "row_quota_used", hint: "Ask for fewer rows." })
      assert.strictEqual(shown.message, "No rows left")
    }).pipe(within([]))
  )

  for (const code of ["IN_PROGRESS", "LOOP_DETECTED", "APPROVAL_DENIED"]) {
    it.effect(`3.4 ${code} in an answer does not become the decision of the guard with this code`, () =>
      Effect.gen(function* () {
        const error = { error_class: "permanent", code, message: "No" }
        const shown = yield* errorOf(made("read", { status: "error", error }).tool)
        assert.deepInclude(shown, { error_class: "permanent", code: "tool_failed" })
      }).pipe(within([]))
    )
  }

  it.effect("3.4 an error that says `retryable: false` is not repeated", () =>
    Effect.gen(function* () {
      const { runs, tool } = made("read", { ...timeout, retryable: false }, { retry: { attempts: 3 } })
      const shown = yield* errorOf(tool)
      assert.strictEqual(runs(), 1)
      assert.strictEqual(shown.retryable, false)
    }).pipe(within([]))
  )

  it.effect("3.1 an instance of an error keeps its message", () =>
    Effect.gen(function* () {
      const error = Object.assign(new Error("getaddrinfo ENOTFOUND api.example"), { code: "ENOTFOUND" })
      const shown = yield* errorOf(made("read", Effect.fail({ error })).tool)
      assert.include(shown.message, "api.example")
    }).pipe(within([]))
  )

  for (const [form, stated] of Object.entries(forms).slice(0, 2)) {
    it.effect(`3.4 (mission 003.44) an error named by its class alone, as ${form}, needs a person`, () =>
      Effect.gen(function* () {
        const { error: error_class, ...rest } = approval
        const shown = yield* errorOf(made("read", stated({ status: "error", error_class, ...rest })).tool)
        assert.deepInclude(shown, { error_class: "human_review", code: "review_requested", human_review: true })
        assert.include(shown.message, "This deletes 2847 records")
      }).pipe(within([]))
    )

    for (const fields of [{ priority: "use low" }, [{ field: "priority", message: "use low" }]]) {
      it.effect(`3.4 (mission 003.44) the messages of ${JSON.stringify(fields)} as ${form} are quoted`, () =>
        Effect.gen(function* () {
          const shown = yield* errorOf(made("read", stated({ ...validation, fields })).tool)
          assert.deepInclude(shown, { error_class: "tool_arg_error", fields: ["priority"] })
          assert.include(shown.message, "priority: use low")
        }).pipe(within([]))
      )
    }
  }

  for (const [name, expected] of [
    ["tool_arg_error", "tool_arg_error"],
    ["toolArgError", "tool_arg_error"],
    ["schema-mismatch", "schema_mismatch"],
    ["SemanticGarbage", "semantic_garbage"],
    ["TRANSIENT", "transient"],
    ["Resource", "resource"],
    ["human-review", "human_review"]
  ] as const) {
    for (const field of ["error_class", "_tag"]) {
      it.effect(`3.4 (mission 003.44) ${name} in ${field} of a failure gives the class ${expected}`, () =>
        Effect.gen(function* () {
          const error = { [field]: name, code: "E_SHELF", message: "Shelf 4" }
          assert.strictEqual((yield* errorOf(made("read", Effect.fail(error)).tool)).error_class, expected)
        }).pipe(within([]))
      )
    }
  }

  for (const answer of [
    { error: "NONE_FOUND", message: "fine", rows: [1] },
    { error: { code: "NONE_FOUND", message: "fine", fields: ["a"] }, rows: [1] }
  ]) {
    it.effect(`3.4 ${JSON.stringify(answer)} is not an error`, () =>
      Effect.gen(function* () {
        const { envelope } = yield* ask([made("read", answer).tool], "look_up", "{}")
        assert.deepStrictEqual(envelope.data, answer)
      }).pipe(within([]))
    )
  }
})
