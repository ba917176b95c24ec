/**
 * A server's tool behind the guard for a client: its result is the whole answer to `tools/call`, so that the client gets what the
 * server gave.
 *
 * **Details**
 *
 * - The time of a call is counted here, not by the guard: it stands still while the server asks the client something.
 * - Answers that are questions to the client's user (`input_required`, a URL to be opened), and tasks that the client asked for,
 *   are passed on as they came. In the records they wait for a person.
 */
import type { Level } from "effect-toolguard/internal/domain/tool/EscalationPolicy"
import * as Failure from "effect-toolguard/internal/domain/failure/Failure"
import * as ForeignSchema from "effect-toolguard/internal/domain/schema/foreign/ForeignSchema"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as DynamicTool from "effect-toolguard/internal/tool/DynamicTool"
import type { HandlerContext } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import { hiddenFailure } from "effect-toolguard/internal/checks/Recognisers"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type { ListedTool } from "effect-toolguard/internal/mcp/remote/ListTools"
import * as RemoteTool from "effect-toolguard/internal/mcp/remote/RemoteTool"
import * as ToolError from "effect-toolguard/internal/mcp/remote/ToolError"
import * as Watch from "effect-toolguard/internal/mcp/remote/Watch"
import * as Headers from "effect-toolguard/internal/mcp/wire/Headers"
import { McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import * as Spelling from "effect-toolguard/internal/mcp/wire/Spelling"
import * as Version from "effect-toolguard/internal/mcp/wire/Version"
import type { Blobs } from "./Blobs.ts"
import { CurrentClientCall } from "./ClientCall.ts"
import type * as Waiting from "./Waiting.ts"

/** Which tools need a person: those that call themselves destructive; those that say nothing too; none. */
export type Confirm = "hinted" | "unknown" | "none"

export interface ProxyToolOptions {
  readonly policy: RemoteTool.RemotePolicy
  readonly confirm: Confirm
  readonly waiting: Waiting.Waiting
  readonly blobs: Blobs
  /** Sends the call. */
  readonly call: (params: JsonObject, schema: JsonObject) => Effect.Effect<JsonObject, McpError>
}

/** Longer than any call is left alone: the guard's own limits, where a call's time is counted here. */
const unlimited = Duration.hours(2)

/** What a call may take by default: a little less than clients wait, so that they hear what happened. */
const defaultTimeout = Duration.seconds(50)

/** The error with which a server asks for a URL to be opened. */
const urlNeeded = -32_042

export const make = (listed: ListedTool, options: ProxyToolOptions): DynamicTool.DynamicTool => {
  const { blobs, call, confirm, policy, waiting } = options
  const definition = RemoteTool.definitionOf(listed, policy)
  const { access } = definition
  const { name } = listed
  const attemptMillis = Duration.toMillis(Duration.fromInputUnsafe(policy.timeout ?? defaultTimeout))
  const wholeMillis = Duration.toMillis(Duration.fromInputUnsafe(policy.deadline ?? policy.timeout ?? defaultTimeout))

  const handler = (args: unknown, { idempotencyKey }: HandlerContext): Effect.Effect<JsonObject, unknown> =>
    Effect.gen(function* () {
      const current = yield* CurrentClientCall
      const params = withKey({ ...plainly(current?.params), name, arguments: args }, idempotencyKey)
      const spent = current?.spent ?? 0
      const left = Math.min(attemptMillis, wholeMillis - spent)
      if (left <= 0) return yield* outOfTime(name, wholeMillis)
      const before = yield* Clock.currentTimeMillis
      const exit = yield* waiting
        .within(call(params, listed.inputSchema), left, () => tooLate(left))
        .pipe(Effect.result)
      if (current !== undefined) current.spent = spent + (yield* Clock.currentTimeMillis) - before
      if (Result.isFailure(exit)) {
        const { code, data, message, reason } = exit.failure
        if (reason === "refused" && code === urlNeeded && current !== undefined) {
          current.passed = { error: { code, message, ...(data === undefined ? {} : { data }) } }
          return yield* elsewhere(name, asksUser)
        }
        return yield* Effect.fail(ToolError.ofMcp(name, access, exit.failure))
      }
      const result = blobs.takeOut(exit.success)
      if (current !== undefined && (isQuestion(params, result) || isTask(params, result))) {
        current.passed = { result }
        return yield* elsewhere(name, isTask(params, result) ? goesOn : asksUser)
      }
      if (current !== undefined) current.last = result
      return result["isError"] === true ? yield* Effect.fail<unknown>(ToolError.reported(result)) : result
    })

  return DynamicTool.dynamic<string, unknown>(name, {
    ...definition,
    timeout: unlimited,
    deadline: unlimited,
    approval: policy.approval ?? approvalOf(confirm, access, listed),
    success: resultOf(listed.outputSchema),
    ...(listed.outputSchema === undefined ? { checks: { hiddenFailure } } : {}),
    handler
  })
}

const known: ReadonlySet<string> = new Set(["name", "arguments", "task", "_meta"])

/** Without fields that a server could take for another, such as `Name`: it would call what nobody has looked at. */
const plainly = (params: JsonObject = {}): JsonObject =>
  Object.fromEntries(Object.entries(params).filter(([field]) => Spelling.variantOf([field], known) === undefined))

/** The key of an action goes along, where the tool has one. */
const withKey = (params: JsonObject, key: string): JsonObject =>
  key === ""
    ? params
    : { ...params, _meta: { ...(isJsonObject(params["_meta"]) ? params["_meta"] : {}), [RemoteTool.keyField]: key } }

/** A tool that the server changed, or that nobody has accepted: it takes any call, and refuses it. */
export const refusing = (name: string, what: Watch.Unaccepted): DynamicTool.DynamicTool =>
  DynamicTool.dynamic<string, Failure.HumanReview>(name, {
    access: "read",
    handler: () => Effect.fail(Watch.refusal(name, what))
  })

const approvalOf = (confirm: Confirm, access: string, { annotations }: ListedTool): Level => {
  if (access !== "destructive" || confirm === "none") return "auto"
  return confirm === "unknown" || annotations["destructiveHint"] === true ? "confirm" : "auto"
}

/** What the whole result of a tool must be: its structured content is of the output schema. It is not changed by that. */
const resultOf = (outputSchema: JsonObject | undefined): Schema.Codec<unknown, unknown> => {
  if (outputSchema === undefined) return Schema.Json as never
  const check = SchemaParser.decodeUnknownResult(ForeignSchema.compile(outputSchema).schema, { errors: "all" })
  return Schema.Json.check(
    Schema.makeFilter((result) => {
      const checked = check(isJsonObject(result) ? result["structuredContent"] : undefined)
      return Result.isFailure(checked) ? new SchemaIssue.Pointer(["structuredContent"], checked.failure) : undefined
    })
  ) as never // a result is any JSON
}

const tooLate = (millis: number) =>
  new McpError({ reason: "no_answer", message: `The tool did not answer within ${millis / 1000} seconds.` })

/** Nothing is left for another attempt; the wait that it asks for ends the trying. */
const outOfTime = (tool: string, millis: number) =>
  Failure.ofCode("timeout", {
    tool,
    detail: `The tool did not answer within ${millis / 1000} seconds.`,
    retryAfter: Duration.hours(1)
  })

/** The server asks the client's user: only clients without sessions know that. To others it would be an unguarded result. */
const isQuestion = (params: JsonObject, result: JsonObject): boolean =>
  result["resultType"] === "input_required" && Headers.versionOf(params) === Version.stateless

/** The client asked for a task, and got one: it asks for the result itself. */
const isTask = (params: JsonObject, result: JsonObject): boolean =>
  isJsonObject(params["task"]) && isJsonObject(result["task"])

const asksUser = "The server asks the user of the client before it goes on."
const goesOn = "The server goes on with it as a task of the client."

/** What is the client's business: it is not retried, not remembered, and no success. */
const elsewhere = (tool: string, detail: string) => Failure.ofCode("requires_human_approval", { tool, detail })
