/**
 * A tool as a log lists it, made callable: its JSON Schema decides about arguments, the log answers.
 *
 * **Details**
 *
 * - A tool whose access is not known counts as a write for what resets budgets and loops, and as a read for their
 *   limits (SPEC 13.1). It is known where the log says it, or where the name begins with a verb that only reads.
 * - Nothing is retried, and no circuit opens: the log holds one answer, and circuits hear of all conversations at once.
 * - `advise`: arguments that break the schema are told, and the call is made as it was sent.
 */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import * as ForeignContract from "effect-toolguard/internal/domain/schema/foreign/ForeignContract"
import * as ForeignSchema from "effect-toolguard/internal/domain/schema/foreign/ForeignSchema"
import {
  resolvePolicy,
  type ToolDefinition,
  type ToolReference
} from "effect-toolguard/internal/domain/tool/ToolDefinition"
import * as Verdict from "effect-toolguard/internal/domain/tool/Verdict"
import { implementation, resultCodec } from "effect-toolguard/internal/pipeline/call/Compile"
import { Compiled, type CompiledTool, type Implementation } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { RecordedTool } from "#kit/traffic/Conversation"
import type { Judged } from "./RecordedAnswer.ts"

/** What answers instead of the tool. */
export interface Logged {
  readonly handler: Implementation["handler"]
  /** The same for a guarded tool, whose failures the guard classifies. */
  readonly raw: Implementation["handler"]
  /** What the answer to the call that is being made was judged to be. */
  readonly judged: () => Judged | undefined
}

export interface ReplayedTool extends ToolReference {
  readonly access: Access
  readonly contract: ForeignContract.ForeignContract
  /** The log lists no schema for it. */
  readonly isUnlisted: boolean
  readonly [Compiled]: CompiledTool
}

/** Names that say it: these tools look at the world, reckon, or speak. */
const reads =
  /^(?:get|list|search|find|read|fetch|check|show|view|describe|count|look_?up|query|retrieve|can|is|has|calculate|think|finish|respond|final_answer)(?=[_\-A-Z]|$)/

const accessOf = (name: string): Access =>
  reads.test(`${name.slice(0, 1).toLowerCase()}${name.slice(1)}`) ? "read" : "write"

/** The log has one answer, at once: nothing is tried again, waited for, or left alone after failures. */
export const unlimited = (() => {
  const forever = "100 days"
  const { attemptMillis, circuit, deadlineMillis, retry } = resolvePolicy(
    { retry: { attempts: 1 }, circuit: false, timeout: forever, deadline: forever },
    true
  )
  return { attemptMillis, circuit, deadlineMillis, retry }
})()

/** A piece of an answer: the words that the guard then says are never read by a model here. */
const piece = Verdict.partial({ narrow: "Ask for a smaller part of it." })

const verdictOf = (judged: Judged | undefined): Verdict.Verdict => {
  if (judged?._tag === "Partial") return piece
  return judged?._tag === "Failure"
    ? Verdict.garbage({ code: judged.code, detail: judged.detail, hint: "" })
    : Verdict.ok
}

/** The tool. `result`: whether results are held to the log's own schema of them. */
export const make = (tool: RecordedTool, logged: Logged, enforce: "enforce" | "advise"): ReplayedTool => {
  const access = tool.access ?? accessOf(tool.name)
  const contract = ForeignContract.make(tool.parameters)
  const success = tool.result === undefined ? Schema.String : ForeignSchema.compile(tool.result).schema
  const definition: ToolDefinition = {
    ...resolvePolicy({ budget: 3, enforce }, true),
    ...unlimited,
    name: tool.name,
    description: tool.description ?? "",
    access,
    critical: false,
    parameters: contract.schema,
    success,
    answers: "value",
    checks: [{ name: "recorded", run: () => verdictOf(logged.judged()) }],
    fallbacks: [],
    idempotency: { mode: "none", fields: undefined, upstreamHonoursKey: false, timeToLive: Duration.zero },
    reconcile: undefined,
    salvage: undefined,
    poll: undefined,
    approval: undefined
  }
  const running = implementation(logged.handler, Context.empty())
  return {
    toolName: tool.name,
    access,
    contract,
    isUnlisted: tool.parameters === undefined,
    [Compiled]: {
      definition,
      contract,
      fingerprint: tool.name,
      result: resultCodec(success, "value"),
      exists: true,
      implementation: () => running
    }
  }
}
