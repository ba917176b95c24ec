/**
 * Guards a server's tool. The tool's result is the complete answer to `tools/call`, from which `ClientResult` builds
 * the client's result.
 *
 * **Details**
 *
 * - The timeout of a call runs here and not in the guard, because it pauses while the server asks the client something.
 * - Questions to the client's user (`input_required`, a URL to open), and tasks that the client requested, are passed on
 *   unchanged. The records show such calls as waiting for a person.
 */
import type { Level } from "effect-toolguard/internal/domain/tool/EscalationPolicy"
import * as Failure from "effect-toolguard/internal/domain/failure/Failure"
import * as ForeignSchema from "effect-toolguard/internal/domain/schema/foreign/ForeignSchema"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Setting from "effect-toolguard/internal/domain/tool/Setting"
import * as EffectivePolicy from "effect-toolguard/internal/domain/tool/EffectivePolicy"
import * as TimeLimits from "effect-toolguard/internal/domain/tool/TimeLimits"
import * as McpResult from "effect-toolguard/internal/domain/answers/McpResult"
import * as DynamicTool from "effect-toolguard/internal/tool/DynamicTool"
import type { HandlerContext } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type { ListedTool } from "effect-toolguard/internal/mcp/remote/ToolListing"
import * as RemoteTool from "effect-toolguard/internal/mcp/remote/RemoteTool"
import { checksOf } from "effect-toolguard/internal/mcp/remote/ResultCheck"
import { pollOf, type RemotePolicy } from "effect-toolguard/internal/tool/RemotePolicy"
import * as ToolError from "effect-toolguard/internal/mcp/remote/ToolError"
import * as Watch from "effect-toolguard/internal/mcp/remote/Watch"
import * as Headers from "effect-toolguard/internal/mcp/wire/Headers"
import { McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import * as Spelling from "effect-toolguard/internal/mcp/wire/Spelling"
import * as Version from "effect-toolguard/internal/mcp/wire/Version"
import type { Blobs } from "./Blobs.ts"
import { CurrentClientCall } from "./ClientCall.ts"
import type { PausableTimeout } from "./PausableTimeout.ts"

/**
 * Selects the tools that need approval: `hinted` selects tools with a destructive hint, `unknown` also tools without
 * hints.
 */
export type Confirm = "hinted" | "unknown" | "none"

/** The options of a tool. */
export interface ProxyToolOptions {
  readonly policy: RemotePolicy
  readonly confirm: Confirm
  readonly timeout: PausableTimeout
  /**
   * The timeout of a tool whose policy sets no timeout, in milliseconds. A shorter deadline of the tool takes
   * precedence.
   */
  readonly timeoutMillis: number
  readonly blobs: Blobs
  /** Sends the call. */
  readonly call: (params: JsonObject, schema: JsonObject) => Effect.Effect<JsonObject, McpError>
}

/**
 * The longest pause of the timeout that runs here, in milliseconds. The limits of the guard are longer by this time.
 */
const pauseMillis = 2 * 3_600_000

/** The code of the error with which a server asks the client to open a URL. */
const urlNeeded = -32_042

/**
 * Returns the limits of a tool, in milliseconds. The default of the deadline is the timeout, because clients wait no
 * longer.
 */
const limitsOf = (name: string, policy: RemotePolicy, timeoutMillis: number) => {
  // the guard's own limits are longer, so contradictions between the stated limits are found here
  EffectivePolicy.fill(name, policy, true)
  const stated = TimeLimits.stated(name, policy)
  const wholeMillis = stated.deadlineMillis ?? stated.attemptMillis ?? timeoutMillis
  const attemptMillis = stated.attemptMillis ?? timeoutMillis
  return { attemptMillis, wholeMillis, guardMillis: Math.min(Setting.longestMillis, wholeMillis + pauseMillis) }
}

/**
 * Creates a guarded tool for a listed tool. Throws a RangeError if the settings of its policy contradict each other.
 */
export const make = (listed: ListedTool, options: ProxyToolOptions): DynamicTool.DynamicTool => {
  const { blobs, call, confirm, policy, timeout, timeoutMillis } = options
  const definition = RemoteTool.definitionOf(listed, policy)
  const { access } = definition
  const { name } = listed
  const { attemptMillis, guardMillis, wholeMillis } = limitsOf(name, policy, timeoutMillis)
  const structured = listed.outputSchema === undefined ? undefined : structuredResult(listed.outputSchema)

  const handler = (args: unknown, { idempotencyKey }: HandlerContext): Effect.Effect<JsonObject, unknown> =>
    Effect.gen(function* () {
      const current = yield* CurrentClientCall
      const params = withKey({ ...withoutVariants(current?.params), name, arguments: args }, idempotencyKey)
      const spent = current?.spent ?? 0
      const left = Math.min(attemptMillis, wholeMillis - spent)
      if (left <= 0) return yield* outOfTime(name, wholeMillis)
      if (current !== undefined) current.last = undefined
      const before = yield* Clock.currentTimeMillis
      const exit = yield* timeout
        .within(call(params, listed.inputSchema), left, () => tooLate(left, left < attemptMillis ? wholeMillis : left))
        .pipe(Effect.result)
      if (current !== undefined) current.spent = spent + (yield* Clock.currentTimeMillis) - before
      if (Result.isFailure(exit)) {
        const { code, data, message, reason } = exit.failure
        if (reason === "refused" && code === urlNeeded && current !== undefined) {
          current.passed = { error: { code, message, ...(data === undefined ? {} : { data }) } }
          return yield* forClient(name, asksUser)
        }
        return yield* Effect.fail(ToolError.ofMcp(name, access, exit.failure))
      }
      const result = blobs.extract(exit.success)
      if (current !== undefined && (isQuestion(params, result) || isTask(params, result))) {
        current.passed = { result }
        return yield* forClient(name, isTask(params, result) ? continuesAsTask : asksUser)
      }
      if (current !== undefined) current.last = result
      const failure = ToolError.reported(result, structured !== undefined, structured?.conforms)
      return failure === undefined ? result : yield* Effect.fail<unknown>(failure)
    })

  const poll = pollOf(name, policy.poll, McpResult.dataOf)
  return DynamicTool.dynamic<string, unknown>(name, {
    ...definition,
    ...(poll === undefined ? {} : { poll }),
    timeout: guardMillis,
    deadline: guardMillis,
    approval: policy.approval ?? approvalOf(confirm, access, listed),
    success: structured?.schema ?? anyResult,
    ...(listed.outputSchema === undefined ? { checks: checksOf(access) } : {}),
    handler
  })
}

const known: ReadonlySet<string> = new Set(["name", "arguments", "task", "_meta"])

/**
 * Drops fields that a server could mistake for other fields, such as `Name` for `name`. The server could then call a
 * tool that the guard has not checked.
 */
const withoutVariants = (params: JsonObject = {}): JsonObject =>
  Object.fromEntries(Object.entries(params).filter(([field]) => Spelling.variantOf([field], known) === undefined))

/** Adds the idempotency key of an action, if the key is not empty. */
const withKey = (params: JsonObject, key: string): JsonObject =>
  key === ""
    ? params
    : { ...params, _meta: { ...(isJsonObject(params["_meta"]) ? params["_meta"] : {}), [RemoteTool.keyField]: key } }

/** Creates a tool that refuses every call, because the server's tool has changed or was never accepted. */
export const refusing = (name: string, what: Watch.RefusalReason): DynamicTool.DynamicTool =>
  DynamicTool.dynamic<string, Failure.HumanReview>(name, {
    access: "read",
    handler: () => Effect.fail(Watch.refusal(name, what))
  })

const approvalOf = (confirm: Confirm, access: string, { annotations }: ListedTool): Level => {
  if (access !== "destructive" || confirm === "none") return "auto"
  return confirm === "unknown" || annotations["destructiveHint"] === true ? "confirm" : "auto"
}

// the callers treat a result as unknown, which makes this cast and the cast below safe
const anyResult: Schema.Codec<unknown, unknown> = Schema.Json as never

/** Creates the schema of a tool's complete result, which validates the structured content and changes nothing. */
const structuredResult = (outputSchema: JsonObject) => {
  const decode = SchemaParser.decodeUnknownResult(ForeignSchema.compile(outputSchema).schema, { errors: "all" })
  // the handler and the schema check the same content, so the first check is kept
  const checks = new WeakMap<object, ReturnType<typeof decode>>()
  const check = (structured: unknown): ReturnType<typeof decode> => {
    if (typeof structured !== "object" || structured === null) return decode(structured)
    const checked = checks.get(structured) ?? decode(structured)
    checks.set(structured, checked)
    return checked
  }
  const schema: Schema.Codec<unknown, unknown> = Schema.Json.check(
    Schema.makeFilter((result) => {
      const checked = check(isJsonObject(result) ? result["structuredContent"] : undefined)
      return Result.isFailure(checked) ? new SchemaIssue.Pointer(["structuredContent"], checked.failure) : undefined
    })
  ) as never
  return { schema, conforms: (structured: unknown) => Result.isSuccess(check(structured)) }
}

/**
 * Reports that no answer arrived in time. `deadlineMillis` is larger if earlier attempts used up a part of the
 * deadline.
 */
const tooLate = (millis: number, deadlineMillis: number) => {
  const rest = deadlineMillis > millis ? `, the rest of its deadline of ${deadlineMillis / 1000} seconds` : ""
  return new McpError({
    reason: "no_answer",
    message: `The tool did not answer within ${millis / 1000} seconds${rest}.`
  })
}

/** Reports that no time is left for another attempt. The long `retryAfter` ends the retries. */
const outOfTime = (tool: string, millis: number) =>
  Failure.ofCode("timeout", {
    tool,
    detail: `The tool did not answer within ${millis / 1000} seconds.`,
    retryAfter: Duration.hours(1)
  })

/**
 * True if the server asks the client's user. Only stateless clients support such questions. For any other client, a
 * question would be a result that bypasses the guard.
 */
const isQuestion = (params: JsonObject, result: JsonObject): boolean =>
  result["resultType"] === "input_required" && Headers.versionOf(params) === Version.stateless

/** True if the client requested a task and received a task. The client then fetches the result itself. */
const isTask = (params: JsonObject, result: JsonObject): boolean =>
  isJsonObject(params["task"]) && isJsonObject(result["task"])

const asksUser = "The server asks the client's user before it continues."
const continuesAsTask = "The server continues this call as a task of the client."

/** Reports an answer that the client must handle. The call is not retried or recalled, and is not a success. */
const forClient = (tool: string, detail: string) => Failure.ofCode("requires_human_approval", { tool, detail })
