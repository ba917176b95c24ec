/**
 * The entry `effect-toolguard`. Services are at `effect-toolguard/services/…` and layers at
 * `effect-toolguard/layers/…`.
 *
 * It exports every type that a public signature names, because the declarations of exported tools need these names.
 */

// Tools, and the modules that run them
export * as Agent from "#src/agent/Agent"
export type { AgentEnd, ModelUsage, Usage } from "#src/agent/AgentEnd"
export type { AgentEvent } from "#src/agent/AgentEvent"
export * as Backend from "#src/tool/Backend"
export * as DurableAgent from "#src/durable/DurableAgent"
export * as GuardedModel from "#src/host/GuardedModel"
export { Guard, type GuardService, type ModelAnswer, type ModelCall, newTurn, type TurnOptions } from "#src/guard/Guard"
export * as GuardedTool from "#src/tool/GuardedTool"
export { ReadResult } from "#src/tool/ReadResult"
export * as Shadow from "#src/guard/Shadow"
export * as Toolbox from "#src/tool/Toolbox"
export type { DescribedField, ToolDescription } from "#src/guard/Description"
export type { FieldValue } from "#domain/tool/PolicyFields"
export type { Origin } from "#domain/tool/PolicySources"

// Parts of definitions
export type { Access } from "#domain/tool/Access"
export * as Approval from "#domain/tool/Approval"
export type { RequestedCall, SharedApproval } from "#domain/tool/Approval"
export { ContractError, type Problem, serverOnly } from "#domain/schema/Contract"
export { entityId, type EntityIdOptions } from "#domain/schema/EntityId"
export { lintIgnore } from "#domain/schema/LintIgnore"
export type { CheckContext } from "#domain/tool/ToolDefinition"
export type { LimitsInput, LoopInput, PolicyInput, RetryInput, SharedPolicy } from "#domain/tool/PolicyInput"
export * as Verdict from "#domain/tool/Verdict"
export type { FilePart, Part, TextPart, WithParts } from "#domain/parts/Part"
export type { PartLimits, PartNote, ShownPart } from "#domain/parts/ShownPart"
export { volatile } from "#domain/schema/VolatileField"

// Ready-made checks
export * as Checks from "#src/checks/Checks"
export {
  countAgainstLimit,
  echoed,
  emptyFirstPage,
  fresh,
  morePages,
  nonEmpty,
  statedGarbage,
  statedPartial,
  unit
} from "#src/checks/Checks"
export * as PythonRepr from "#src/checks/PythonRepr"
export * as Recognisers from "#src/checks/Recognisers"
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
} from "#src/checks/Recognisers"

// Outcomes and failures
export {
  type CallFailure,
  changed,
  codec,
  Failure,
  type FailureTag,
  HumanReview,
  isFailure,
  PartialData,
  Permanent,
  Resource,
  SchemaMismatch,
  SemanticGarbage,
  SideEffect,
  ToolArgError,
  Transient,
  withoutStack
} from "#domain/failure/Failure"
export type { FailedOutcome, Outcome, Success } from "#domain/call/Outcome"

// Policies that users can replace, and the functions that decide
export * as Classification from "#domain/classification/Classification"
export * as Compaction from "#domain/transcript/Compaction"
export * as Envelope from "#domain/envelope/Envelope"
export * as EscalationPolicy from "#domain/tool/EscalationPolicy"
export { weaken } from "#domain/tool/PolicyWeakening"
export * as FailureCode from "#domain/failure/FailureCode"
export * as LoopDetector from "#domain/loop/LoopDetector"
export * as RetryPolicy from "#domain/tool/RetryPolicy"
export * as Transcript from "#domain/transcript/Transcript"

// Records and turns
export { Attempt, CallRecord, Decision, RecordedOutcome, toJson as callRecordJson } from "#domain/call/CallRecord"
export { LateEnd, LateOutcome } from "#domain/call/LateOutcome"
export { Turn } from "#domain/turn/Turn"

// The pipeline, for custom stages
export type { Answer } from "#pipeline/call/Answer"
export type { Call, Purpose } from "#pipeline/call/Call"
export type {
  CompiledTool,
  HandlerContext,
  Implementation as RunningTool,
  ResultCodec
} from "#pipeline/call/CompiledTool"
export { type GuardPolicies, policyOf } from "#pipeline/call/GuardPolicies"
export type { ModelStage, ReadingFilter, Reading } from "#pipeline/call/ModelStage"
export * as Pipeline from "#pipeline/Pipeline"
export type { Around, Dispatch, Next, Stage } from "#pipeline/call/Stage"
export type { Trace } from "#pipeline/call/Trace"
export type { Contract } from "#domain/schema/Contract"
export type * as ToolDefinition from "#domain/tool/ToolDefinition"

// Types of the namespaces under separate names, for declarations of modules that do not import the namespace
export type { Requirements } from "#src/agent/Agent"
export type { GarbageCheck, PartialCheck } from "#src/checks/Checks"
export type { Recogniser } from "#src/checks/Recognisers"
export type { AiTool, Handler, HandlerAnswer, Implementation, ToolClass } from "#src/tool/ToolClass"
export type { ToolkitTool } from "#src/tool/FromToolkit"
export type { Kit, Toolbox as ToolboxType } from "#src/tool/Toolbox"
export type { Approval as ApprovalType } from "#domain/tool/Approval"
export type { EscalationPolicy as EscalationPolicyType, Level } from "#domain/tool/EscalationPolicy"
export type { GarbageVerdict, OkVerdict, PartialVerdict, Verdict as VerdictType } from "#domain/tool/Verdict"
