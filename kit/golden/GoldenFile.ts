/**
 * Reads and writes the golden file of a scenario: the expected rounds of calls, as JSON that is easy to review.
 *
 * ```json
 * {
 *   "scenario": "refund of a lost parcel",
 *   "ignore": ["search_orders.cursor"],
 *   "rounds": [
 *     [{ "tool": "search_orders", "arguments": { "customer_id": "C-9921" } }],
 *     [
 *       {
 *         "tool": "refund_order",
 *         "arguments": { "order_id": "O-1047" },
 *         "fails": true,
 *         "error": { "code": "tool_failed", "error_class": "permanent", "side_effect": "unknown" }
 *       }
 *     ]
 *   ]
 * }
 * ```
 *
 * **Details**
 *
 * - Argument names are sorted. The calls of a round are sorted when the round is recorded or changed. A value that fits
 *   into 100 columns is on one line.
 * - Other fields, such as a `note`, are allowed, and are kept when the file is updated.
 */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as ArgumentIssues from "effect-toolguard/internal/domain/schema/ArgumentIssues"
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import { visibleJson } from "effect-toolguard/internal/domain/text/VisibleText"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as IgnoredFields from "./IgnoredFields.ts"
import { ErrorFields } from "./ReportedError.ts"
import type { MadeCall } from "./Sequence.ts"

/** An expected call, with any other fields that its author added. */
export interface GoldenCall {
  readonly tool: string
  readonly arguments: unknown
  /** True if the call is expected to fail and to have no repair. */
  readonly fails?: boolean
  /** The error that the call is expected to report. Only the fields that are present are compared. */
  readonly error?: ErrorFields
  readonly [other: string]: unknown
}

/** The contents of a golden file. */
export interface Golden {
  readonly scenario: string
  /** Paths of arguments that the comparison ignores. */
  readonly ignore: ReadonlyArray<string>
  readonly rounds: ReadonlyArray<ReadonlyArray<GoldenCall>>
  /** All other fields of the file. */
  readonly others: JsonObject
}

const Path = Schema.String.check(
  Schema.makeFilter((text: string) => IgnoredFields.read(text) !== undefined || "expected a path such as tool.field")
)
const Call = Schema.StructWithRest(
  Schema.Struct({
    tool: Schema.String,
    arguments: Schema.Unknown,
    fails: Schema.optionalKey(Schema.Boolean),
    error: Schema.optionalKey(ErrorFields)
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
const File = Schema.StructWithRest(
  Schema.Struct({
    scenario: Schema.String,
    ignore: Schema.optionalKey(Schema.Array(Path)),
    rounds: Schema.Array(Schema.Array(Call))
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

// only an `error` must have no other fields, because a misspelt field would never be compared
const decode = Schema.decodeUnknownResult(File, { errors: "all", onExcessProperty: "error", reportInput: true })

/** Reads a golden file. Fails with one line that says what is wrong, and where. */
export const read = (text: string): Result.Result<Golden, string> => {
  const parsed = parse(text)
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  return Result.mapBoth(decode(parsed.success), {
    onFailure: ({ issue }) => ArgumentIssues.mismatch(ArgumentIssues.fromIssue(issue)).text,
    onSuccess: ({ ignore, rounds, scenario, ...others }) => ({ scenario, ignore: ignore ?? [], rounds, others })
  })
}

/**
 * Parses with `JSON.parse`, which allows names such as `__proto__`. Such names are harmless in values that are only
 * compared.
 */
const parse = (text: string): Result.Result<unknown, string> => {
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    const { message } = Result.getOrThrow(Result.flip(JsonText.parse(text, unlimited)))
    return Result.fail(message)
  }
}

const unlimited: JsonText.Limits = { maxBytes: Number.MAX_SAFE_INTEGER, maxDepth: 10_000 }

/** Writes a golden file. Sorts the fields of arguments, and keeps the order of rounds and calls. */
export const write = ({ ignore, others, rounds, scenario }: Golden): string => {
  const file = { scenario, ...others, ...(ignore.length === 0 ? {} : { ignore }), rounds: rounds.map(ordered) }
  return `${pretty(file, "", true)}\n`
}

const ordered = (round: ReadonlyArray<GoldenCall>) =>
  round.map(({ arguments: args, ...others }) => {
    const { tool, ...rest } = others
    return { tool, arguments: sorted(args), ...rest }
  })

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, sorted(field)])
  )
}

const width = 100

/** Formats JSON on one line if it fits, otherwise with one line for each element. */
const pretty = (value: unknown, indent: string, isSpread: boolean): string => {
  const line = onLine(value)
  if (typeof value !== "object" || value === null) return line
  if (!isSpread && line.length + indent.length <= width) return line
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]"
    return `[\n${value.map((item) => deeper + pretty(item, deeper, false)).join(",\n")}\n${indent}]`
  }
  const fields = Object.entries(value).map(
    ([name, field]) => `${deeper}${text(name)}: ${pretty(field, deeper, name === "rounds" && indent === "")}`
  )
  return fields.length === 0 ? "{}" : `{\n${fields.join(",\n")}\n${indent}}`
}

const onLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(onLine).join(", ")}]`
  if (typeof value !== "object" || value === null) return text(value)
  const fields = Object.entries(value).map(([name, field]) => `${text(name)}: ${onLine(field)}`)
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`
}

const text = (value: unknown): string => visibleJson(JSON.stringify(value) ?? "null")

/** Converts a made call into an expected call. */
export const expected = ({ arguments: args, error, hasFailed, tool }: MadeCall): GoldenCall => ({
  tool,
  arguments: args,
  ...(hasFailed ? { fails: true } : {}),
  ...(error === undefined ? {} : { error: error.fields })
})

/** Sorts the calls of a round by tool and arguments. */
export const inOrder = (round: ReadonlyArray<GoldenCall>): ReadonlyArray<GoldenCall> =>
  round.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))

const orderOf = (call: GoldenCall): string => CallKey.of(call.tool, call.arguments)
