/**
 * Makes a tool of a log callable. The JSON Schema of the tool validates the arguments, and the log provides the
 * answers.
 *
 * **Details**
 *
 * - The access is known if the log states it, or if the tool's name starts with a verb that only reads. A tool of
 *   unknown access resets budgets and loops as a write does, and has the limits of a read [13.1]. If its name has a
 *   verb such as `scroll`, it has the limits of a write.
 * - Calls are not retried, because the log has only one answer. Tools have no circuit, because conversations would
 *   share it.
 * - With `advise`, arguments that violate the schema are reported, and the call is made as the model sent it.
 */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import * as ForeignContract from "effect-toolguard/internal/domain/schema/foreign/ForeignContract"
import * as ForeignSchema from "effect-toolguard/internal/domain/schema/foreign/ForeignSchema"
import * as EffectivePolicy from "effect-toolguard/internal/domain/tool/EffectivePolicy"
import * as RetryPolicy from "effect-toolguard/internal/domain/tool/RetryPolicy"
import type { ToolDefinition, ToolReference } from "effect-toolguard/internal/domain/tool/ToolDefinition"
import * as Verdict from "effect-toolguard/internal/domain/tool/Verdict"
import { implementation, nothingDeclared, resultCodec } from "effect-toolguard/internal/pipeline/call/ToolCompiler"
import { Compiled, type CompiledTool, type Implementation } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { RecordedTool } from "#kit/traffic/Conversation"
import { accessOf, isStep } from "./NamedAccess.ts"
import type { LoggedEnd } from "./RecordedOutcome.ts"

/** Handlers that answer from the log instead of the tool. */
export interface LogHandlers {
  readonly handler: Implementation["handler"]
  /** The handler for a guarded tool, whose errors the guard classifies. */
  readonly raw: Implementation["handler"]
  /** Returns the end of the current call in the log. */
  readonly loggedEnd: () => LoggedEnd | undefined
}

/** A tool that the log answers. */
interface ReplayedTool extends ToolReference {
  readonly access: Access
  /**
   * The contract of the arguments. `unchecked` also lists constraints of the results, at pointers that start with
   * `result`.
   */
  readonly contract: ForeignContract.ForeignContract
  /** True if the log has no schema for the tool. */
  readonly isUnlisted: boolean
  /** True if the log has no schema for the tool's results. */
  readonly isUntyped: boolean
  readonly [Compiled]: CompiledTool
}

/** A time limit that no call of a replay reaches. */
const forever = Duration.toMillis("100 days")

/**
 * A policy without retries, circuits and effective timeouts, because the log has one answer, which is available
 * immediately. The deadline is longer than the timeout, so that a full attempt fits after a wait.
 */
export const unlimited = {
  attemptMillis: forever,
  deadlineMillis: 2 * forever,
  retry: { ...RetryPolicy.defaults, attempts: 1 },
  circuit: undefined
} as const

/** The verdict for a partial answer. No model reads its text in a replay. */
const partialVerdict = Verdict.partial({ narrow: "Ask for a smaller part of it." })

const verdictOf = (loggedEnd: LoggedEnd | undefined): Verdict.Verdict => {
  if (loggedEnd?._tag === "Partial") return partialVerdict
  return loggedEnd?._tag === "Failure"
    ? Verdict.garbage({ code: loggedEnd.code, detail: loggedEnd.detail, hint: "" })
    : Verdict.ok
}

/** Creates the tool. Results are validated if the log has a schema for results. */
export const make = (tool: RecordedTool, logged: LogHandlers, enforce: "enforce" | "advise"): ReplayedTool => {
  const access = tool.access ?? accessOf(tool.name)
  // a tool of unknown access has the limits of a read, unless its name says that each repeat has an effect
  const isLimited = tool.access === undefined ? !isStep(tool.name) : tool.access === "read"
  const repeats = isLimited ? undefined : "allowed"
  const contract = ForeignContract.make(tool.parameters)
  const result = tool.result === undefined ? undefined : ForeignSchema.compile(tool.result)
  const success = result === undefined ? Schema.String : result.schema
  const ofResult = (result?.unchecked ?? []).map(({ pointer, reason }) => ({ pointer: `result${pointer}`, reason }))
  const definition: ToolDefinition = {
    ...EffectivePolicy.resolve(tool.name, { enforce, retry: { attempts: 1 } }, true),
    ...unlimited,
    ...nothingDeclared,
    defaultRepeats: repeats,
    repeats,
    name: tool.name,
    id: tool.name,
    description: tool.description ?? "",
    access,
    parameters: contract.schema,
    success,
    checks: [{ name: "recorded", run: () => verdictOf(logged.loggedEnd()) }]
  }
  const running = implementation(logged.handler, Context.empty())
  return {
    toolName: tool.name,
    access,
    contract: ofResult.length === 0 ? contract : { ...contract, unchecked: [...contract.unchecked, ...ofResult] },
    isUnlisted: tool.parameters === undefined,
    isUntyped: tool.result === undefined,
    [Compiled]: {
      definition,
      contract,
      fingerprint: tool.name,
      result: resultCodec(success, "value", true),
      exists: true,
      owner: undefined,
      provider: undefined,
      site: () => undefined,
      scope: tool.name,
      refusal: undefined,
      implementation: () => running
    }
  }
}
