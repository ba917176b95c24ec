/**
 * [3 PartialData, 4.9] Keeps the complete, valid leading rows of a truncated answer, if the tool declares how.
 *
 * The complete rows are combined with the fields before them and the fields that the tool fills in, and the whole
 * is decoded by `success`. Rows are kept up to the first row that does not decode. The work is done in steps.
 */
import { isJsonObject } from "#domain/json/JsonObject"
import * as ArgumentIssues from "#domain/schema/ArgumentIssues"
import * as Failure from "#domain/failure/Failure"
import * as JsonText from "#domain/json/JsonText"
import type { Steps } from "#domain/json/Steps"
import type { Salvage } from "#domain/tool/ToolDefinition"
import type * as SchemaIssue from "effect/SchemaIssue"
import { type Call, continuation } from "#pipeline/call/Call"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import { note } from "#pipeline/call/Crash"
import { ofAnswer } from "./SideEffectOfAnswer.ts"

/** Returns the salvaged rows; undefined if the tool declares no salvage, its functions throw, or no row is complete. */
export function* salvage(
  call: Call,
  tool: CompiledTool,
  text: string,
  detail: string
): Steps<Failure.PartialData | undefined> {
  const declared = tool.definition.salvage
  if (declared === undefined) return undefined
  try {
    return yield* salvageRows(call, tool, declared, text, detail)
  } catch (error) {
    note(call, "parseResult", "the tool's salvage", error)
    return undefined
  }
}

function* salvageRows(
  call: Call,
  tool: CompiledTool,
  declared: Salvage,
  text: string,
  detail: string
): Steps<Failure.PartialData | undefined> {
  const { definition } = tool
  const path = declared.path === "" ? [] : declared.path.split(".")
  const found = yield* JsonText.salvage(text, path, definition.resultLimits)
  if (found === undefined) return undefined
  const decoded = yield* decodeRows(
    tool,
    found.prefix,
    path,
    found.rows,
    (rows) => declared.rest?.(rows, call.arguments) ?? {}
  )
  if (decoded === undefined) return undefined
  const next = declared.next?.(decoded.value, call.arguments)
  return Failure.ofCode("salvaged", {
    tool: call.name,
    detail: `${detail} ${decoded.count === 1 ? "1 complete row was" : `${decoded.count} complete rows were`} kept.`,
    hint: declared.narrow ?? "Keep these rows. Call again with `next` for the rest.",
    sideEffect: call.answer === undefined ? "none" : ofAnswer(definition.access, call.answer),
    traceId: call.traceId,
    data: decoded.value,
    next: next === undefined ? undefined : continuation(call, next)
  })
}

function* decodeRows(
  tool: CompiledTool,
  prefix: unknown,
  path: ReadonlyArray<string>,
  rows: ReadonlyArray<unknown>,
  rest: (rows: ReadonlyArray<unknown>) => object
): Steps<{ readonly value: unknown; readonly count: number } | undefined> {
  function* decode(count: number) {
    yield
    const firstRows = rows.slice(0, count)
    return tool.result.decode(place(prefix, path, firstRows, rest(firstRows)))
  }
  const whole = yield* decode(rows.length)
  if (whole._tag === "Success") return rows.length === 0 ? undefined : { value: whole.success, count: rows.length }
  const validCount = firstWrong(whole.failure, path)
  if (validCount === 0) return undefined
  const before = validCount === undefined ? undefined : yield* decode(validCount)
  if (validCount !== undefined && before?._tag === "Success") return { value: before.success, count: validCount }
  let low = 0
  let high = (validCount ?? rows.length) - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((yield* decode(middle))._tag === "Success") low = middle
    else high = middle - 1
  }
  const decoded = low === 0 ? undefined : yield* decode(low)
  return decoded?._tag === "Success" ? { value: decoded.success, count: low } : undefined
}

/** Returns the index of the first invalid row; undefined if something other than a row is invalid. */
const firstWrong = (issue: SchemaIssue.Issue, path: ReadonlyArray<string>): number | undefined => {
  const indices = ArgumentIssues.fromIssue(issue).map(({ path: place }) =>
    path.every((name, level) => name === place[level]) ? place[path.length] : undefined
  )
  return indices.every((index) => typeof index === "number") ? Math.min(...indices) : undefined
}

/**
 * Builds the encoded result: the fields before the rows, the fields that the tool fills in, and the rows at their path.
 */
const place = (prefix: unknown, path: ReadonlyArray<string>, rows: ReadonlyArray<unknown>, rest: object): unknown => {
  const [head, ...tail] = path
  if (head === undefined) return rows
  const known = isJsonObject(prefix) ? prefix : {}
  const inner = tail.length === 0 ? rows : place(known[head], tail, rows, {})
  return { ...rest, ...known, [head]: inner }
}
