/** The entry `effect-toolguard/promise`: guarded tools and turns for programs without Effect. */
export {
  createGuard,
  type AdvertisedTool,
  type Decision,
  type GuardOptions,
  type HostedTool,
  type PromiseGuard
} from "#src/promise/PromiseGuard"
export {
  type CallOptions,
  type HostCall,
  type HostRuntime,
  type PromiseHost,
  type PromiseTurn,
  type PromiseTurnOptions
} from "#src/promise/PromiseHost"
export {
  tool,
  type ArgumentsOf,
  type CallContext,
  type PromiseAnswer,
  type PromiseDefinition,
  type PromiseTool,
  type ResultOf,
  type ToolSchema
} from "#src/promise/PromiseTool"
export * as Approval from "#domain/tool/Approval"
export * as Verdict from "#domain/tool/Verdict"
export { withParts } from "#domain/parts/Part"
export { done, nothingDone, unknown } from "#domain/failure/StatedEffect"
export { ReadResult as readResult } from "#src/tool/ReadResult"
