/**
 * Counts the tokens of the guard's errors and compares them with the errors of other frameworks.
 *
 * The counts of the other frameworks are o200k tokens, measured on the same four errors. Zero means that the framework
 * sends the model nothing.
 */
import * as ArgumentIssues from "#domain/schema/ArgumentIssues"
import * as Envelope from "#domain/envelope/Envelope"
import * as Failure from "#domain/failure/Failure"
import { codes, type FailureCode } from "#domain/failure/FailureCode"
import * as JsonText from "#domain/json/JsonText"
import { failed } from "#domain/call/Outcome"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"

interface Tokens {
  readonly missingField: number
  readonly twelveViolations: number
  readonly notJson: number
  readonly unknownTool: number
}

/** The token counts of other frameworks; `undefined` means that the framework ends the run instead. */
const others: Readonly<Record<string, { readonly [K in keyof Tokens]: number | undefined }>> = {
  "AI SDK 7.0.173": { missingField: 84, twelveViolations: 1_035, notJson: 70, unknownTool: 25 },
  "Mastra 1.71.0": { missingField: 91, twelveViolations: 795, notJson: 73, unknownTool: 35 },
  "LangGraph (LangChain 1.2.30)": { missingField: 33, twelveViolations: 342, notJson: 0, unknownTool: 15 },
  // these errors contain nothing useful
  "OpenAI Agents 0.20.0": { missingField: 12, twelveViolations: 12, notJson: 15, unknownTool: undefined },
  // this framework names only the first violation
  "effect/ai 4.1.0": { missingField: 46, twelveViolations: 64, notJson: undefined, unknownTool: undefined }
}

const parameters = Schema.Struct({
  file_path: Schema.String,
  limit: Schema.Int,
  lines: Schema.Array(Schema.Struct({ sku: Schema.String, quantity: Schema.Int, price: Schema.Finite }))
})
const decode = Schema.decodeUnknownResult(Schema.toCodecJson(parameters), ArgumentIssues.argumentOptions)

/** Renders the envelope that the guard sends, with a trace id as long as the guard's. */
const envelope = (code: FailureCode, detail: string, hint?: string, fields: ReadonlyArray<string> = []): string =>
  Envelope.render(
    failed(
      new Failure.ToolArgError({
        tool: "search_orders",
        code,
        detail,
        hint: hint ?? codes[code].hint,
        sideEffect: "none",
        traceId: "4f9c2a7e81d3-1042",
        ...(fields.length === 0 ? {} : { fields })
      })
    ),
    { access: "read", encode: (value) => value }
  ).text

const rejected = (input: unknown): string => {
  const issues = Result.match(decode(input), {
    onSuccess: () => [],
    onFailure: ({ issue }) => ArgumentIssues.fromIssue(issue)
  })
  const { fields, text } = ArgumentIssues.instruction(issues)
  return envelope("invalid_arguments", text, undefined, fields)
}

const notJson = (text: string): string => {
  const parsed = JsonText.parseArguments(text, JsonText.argumentLimits)
  const message = parsed._tag === "Failure" ? parsed.failure.message : ""
  return envelope("invalid_json", `The arguments cannot be read: ${message}`)
}

const lines = [{ sku: "a", quantity: 1, price: 1 }]
const texts = {
  missingField: rejected({ limit: 10, lines }),
  twelveViolations: rejected({
    file_path: "a",
    limit: 1,
    lines: Array.from({ length: 4 }, () => ({ sku: 1, quantity: "many", price: null }))
  }),
  notJson: notJson(`{"file_path": "a.txt", limit: 10}`),
  unknownTool: envelope("unknown_tool", `No tool is named "serch_orders".`, "Did you mean search_orders?")
}

describe("EnvelopeTokens", () => {
  const most: Tokens = { missingField: 90, twelveViolations: 200, notJson: 90, unknownTool: 90 }

  for (const name of ["missingField", "twelveViolations", "notJson", "unknownTool"] as const) {
    it(`5.5 the error ${name} has fewer than ${most[name]} tokens`, () => {
      const tokens = countTokens(texts[name])
      assert.isBelow(tokens, most[name], texts[name])
      // frameworks that list all violations need at least 1.7 times as many tokens
      for (const [other, counts] of Object.entries(others)) {
        if (name === "twelveViolations" && (counts.twelveViolations ?? 0) > 200) {
          assert.isBelow(tokens, (counts.twelveViolations ?? 0) / 1.7, other)
        }
      }
    })
  }

  it("4.4 names or counts all of twelve violations", () => {
    const { error } = JSON.parse(texts.twelveViolations) as {
      error: { message: string; fields: ReadonlyArray<string> }
    }
    const named = error.message.split("; ").length
    const counted = Number(/\(\+(\d+) more\)/.exec(error.message)?.[1] ?? 0)
    assert.strictEqual(named + counted, 12)
    assert.isAtLeast(named, 3)
    assert.strictEqual(error.fields[0], "lines[0].sku")
  })

  it("5.2 each error names the fault and the remedy", () => {
    assert.include(texts.missingField, "file_path: Required")
    assert.include(texts.unknownTool, "Did you mean search_orders?")
    for (const text of Object.values(texts)) {
      const { error } = JSON.parse(text) as { error: { next_step: string; retryable: boolean; trace_id: string } }
      assert.deepStrictEqual(
        [error.next_step, error.retryable, error.trace_id],
        ["fix_arguments", false, "4f9c2a7e81d3-1042"]
      )
      assert.isAtMost(text.length, 600)
    }
  })

  it("5.5 arguments are not echoed, however long they are", () => {
    const junk = "junk ".repeat(4_000)
    for (const text of [
      rejected({ file_path: 1, limit: junk, lines: junk, [junk]: junk }),
      notJson(`{"file_path": ${junk}`)
    ]) {
      assert.isBelow(countTokens(text), 200)
    }
  })
})
