/** Describes a tool in the form in which the replay calls it. */
import type { Contract } from "effect-toolguard/internal/domain/schema/Contract"
import type { ToolReference } from "effect-toolguard/internal/domain/tool/ToolDefinition"
import type { Compiled, CompiledTool } from "effect-toolguard/internal/pipeline/call/CompiledTool"

/** A tool with its contract, compiled. */
export interface CallableTool extends ToolReference {
  readonly contract: Contract
  /** True if no schema of the tool's results is known. */
  readonly isUntyped?: boolean
  readonly [Compiled]: CompiledTool
}
