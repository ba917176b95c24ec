/**
 * What users import from `effect-toolguard`. Services are at `effect-toolguard/services/…`, layers at
 * `effect-toolguard/layers/…`.
 *
 * Every type that a public signature names is here: without it, declarations of exported tools could not be written.
 */

// tools, and what runs them
export * as Agent from "./Agent.ts"
export type { AgentEnd, ModelUsage, Usage } from "#src/agent/AgentEnd"
export type { AgentEvent } from "#src/agent/AgentEvent"
export * as Backend from "./Backend.ts"
export * as DurableAgent from "./DurableAgent.ts"
export * as GuardedModel from "./GuardedModel.ts"
export { Guard, type GuardService, type ModelAnswer, type ModelCall, newTurn, type TurnOptions } from "./Guard.ts"
export * as GuardedTool from "./GuardedTool.ts"
export { ReadResult } from "./ReadResult.ts"
export * as Shadow from "./Shadow.ts"
export * as Toolbox from "./Toolbox.ts"

// what a definition is made of
export type { Access } from "#domain/Access"
export * as Approval from "#domain/Approval"
export { ContractError, type Problem, serverOnly } from "#domain/Contract"
export { entityId, type EntityIdOptions } from "#domain/EntityId"
export { lintIgnore } from "#domain/LintIgnore"
export type { CheckContext, PolicyInput, RetryInput } from "#domain/ToolDefinition"
export * as Verdict from "#domain/Verdict"
export type { FilePart, Part, TextPart, WithParts } from "#domain/parts/Part"
export type { PartLimits, PartNote, ShownPart } from "#domain/parts/ShownPart"
export { volatile } from "#domain/Volatile"

// ready-made checks
export * as Checks from "./Checks.ts"
export { countAgainstLimit, echoed, emptyFirstPage, fresh, morePages, nonEmpty, unit } from "./Checks.ts"
export * as PythonRepr from "./PythonRepr.ts"
export * as Recognisers from "./Recognisers.ts"
export {
  cutAt,
  errorPage,
  errorText,
  failedItems,
  hiddenFailure,
  hiddenMessage,
  htmlPage,
  innerError,
  markedPartial,
  placeholderPage,
  statedError
} from "./Recognisers.ts"

// what a call ends with
export * from "#domain/Failure"
export type { Failed, Outcome, Success } from "#domain/Outcome"

// policies that users replace, and the decisions behind them
export * as Classification from "#domain/Classification"
export * as Compaction from "#domain/transcript/Compaction"
export * as Envelope from "#domain/Envelope"
export * as EscalationPolicy from "#domain/EscalationPolicy"
export * as FailureCode from "#domain/FailureCode"
export * as LoopDetector from "#domain/LoopDetector"
export * as RetryPolicy from "#domain/RetryPolicy"
export * as Transcript from "#domain/Transcript"

// what is remembered
export { Attempt, CallRecord, Decision, RecordedOutcome, toJson as callRecordJson } from "#domain/CallRecord"
export { LateEnd, LateOutcome } from "#domain/LateOutcome"
export { Turn } from "#domain/Turn"

// the pipeline, for stages of your own
export type { Answer } from "#pipeline/Answer"
export type { Call, Trace } from "#pipeline/Call"
export type { CompiledTool, HandlerContext, Implementation as RunningTool, ResultCodec } from "#pipeline/CompiledTool"
export type { ModelStage, Read, Reading } from "#pipeline/ModelStage"
export * as Pipeline from "#pipeline/Pipeline"
export type { Around, Dispatch, Next, Purpose, Stage } from "#pipeline/Stage"
export type { Contract } from "#domain/Contract"
export type * as ToolDefinition from "#domain/ToolDefinition"

// types of the namespaces by a name of their own: a declaration names them where the namespace is not imported
export type { Requirements } from "./Agent.ts"
export type { GarbageCheck, PartialCheck } from "./Checks.ts"
export type { Recogniser } from "./Recognisers.ts"
export type { AiTool, Handler, HandlerAnswer, Implementation, ToolClass } from "#src/tool/ToolClass"
export type { ToolkitTool } from "#src/host/FromToolkit"
export type { Kit, Toolbox as ToolboxType } from "./Toolbox.ts"
export type { Approval as ApprovalType } from "#domain/Approval"
export type { EscalationPolicy as EscalationPolicyType, Level } from "#domain/EscalationPolicy"
export type { GarbageVerdict, OkVerdict, PartialVerdict, Verdict as VerdictType } from "#domain/Verdict"
