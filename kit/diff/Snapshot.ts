/**
 * Describes the promises of a set of tools: descriptions, parameters, results, access and annotations.
 *
 * A snapshot is independent of its source: guarded tools of a module, a list for a provider, or an MCP server.
 */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import * as Contract from "effect-toolguard/internal/domain/schema/Contract"
import { type CompiledTool, Compiled } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { Listing } from "#kit/lint/reading/ListedTool"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import type * as JsonSchema from "effect/JsonSchema"

/** The declarations of one tool that callers rely on. */
export interface ToolPromise {
  readonly description: string
  readonly access?: Access
  readonly parameters: JsonSchema.JsonSchema
  /** Absent if the tool does not declare its results. */
  readonly result?: JsonSchema.JsonSchema
  /**
   * The annotations and `strict` of a listed tool; `critical`, `refusals`, `idempotency` and `approval` of a guarded tool,
   * if set.
   */
  readonly annotations: JsonObject
  /** True for a guarded tool. Readers of its results drop undeclared fields. */
  readonly isGuarded: boolean
}

/** Promises by tool name. */
export type Snapshot = ReadonlyMap<string, ToolPromise>

/** Returns the snapshot of guarded tools. */
export const ofGuarded = (tools: Iterable<AnyTool>): Snapshot =>
  // every tool class has a compiled tool, which the public type hides
  new Map([...tools].map((tool) => [tool.toolName, guarded((tool as AnyTool & CompiledCarrier)[Compiled])]))

interface CompiledCarrier {
  readonly [Compiled]: CompiledTool
}

const guarded = ({ contract, definition }: CompiledTool): ToolPromise => {
  const { access, approval, critical, description, idempotency, refusals, success } = definition
  return {
    description: contract.describe(description),
    access,
    parameters: contract.jsonSchema,
    result: Contract.resultSchema(success).jsonSchema,
    annotations: {
      ...(critical ? { critical } : {}),
      ...(refusals.length === 0
        ? {}
        : { refusals: Object.fromEntries(refusals.map(({ code, failureClass }) => [code, failureClass])) }),
      ...(idempotency.mode === "none" ? {} : { idempotency: idempotency.mode }),
      ...(approval === undefined ? {} : { approval: typeof approval === "function" ? "by the arguments" : approval })
    },
    isGuarded: true
  }
}

/** Returns the snapshot of a parsed list. If several tools have the same name, the last tool is used. */
export const ofListing = ({ tools }: Listing, document: unknown): Snapshot =>
  new Map(
    tools.map(({ access, at, description, name, parameters, result }) => {
      const { annotations, strict } = Fields.of(JsonPointer.valueAt(document, at.tool))
      return [
        name,
        {
          description,
          ...(access === undefined ? {} : { access }),
          parameters: Fields.of(parameters),
          ...(isJsonObject(result) ? { result } : {}),
          annotations: { ...Fields.of(annotations), ...(typeof strict === "boolean" ? { strict } : {}) },
          isGuarded: false
        }
      ]
    })
  )
