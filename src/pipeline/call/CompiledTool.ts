/**
 * A tool as the stages hold it: its definition, the codecs compiled once, and where its implementation is found.
 */
import type { Contract } from "#domain/schema/Contract"
import type { ToolDefinition, ToolReference } from "#domain/tool/ToolDefinition"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"

/** What a handler is told about its call. */
export interface HandlerContext {
  readonly callId: string
  /** Which attempt this is, from 1. */
  readonly attempt: number
  /** To be handed to the upstream; stable over retries. Empty where the tool declares no idempotency. */
  readonly idempotencyKey: string
}

/** A tool's implementation: its handler, and the services that its layer was built with. */
export interface Implementation {
  readonly handler: (args: unknown, context: HandlerContext) => Effect.Effect<unknown, unknown, never>
  /** The services of the layer beneath those of the caller. */
  readonly contextFor: (caller: Context.Context<never>) => Context.Context<never>
}

export interface ResultCodec {
  /** Checks a value of `success`'s Type. */
  readonly checkValue: (value: unknown) => Result.Result<unknown, SchemaIssue.Issue>
  /** Decodes parsed JSON. */
  readonly decode: (json: unknown) => Result.Result<unknown, SchemaIssue.Issue>
  /** Encodes a value to JSON. Throws on a value that is none of `success`. */
  readonly encode: (value: unknown) => unknown
  /** What `encode` gives, as a schema. */
  readonly encoded: SchemaAST.AST
  /** Canonical JSON of a value without its volatile fields; undefined where `success` marks none. */
  readonly steady: ((value: unknown) => string) | undefined
  /** `success` names every field that it takes, so that whatever else a text holds is dropped when it is decoded. */
  readonly isClosed: boolean
  /** Text is the value itself: `success` is a string or bytes, and the tool does not declare `answers: "json"`. */
  readonly text: "string" | "bytes" | "json"
}

export interface CompiledTool {
  readonly definition: ToolDefinition
  readonly contract: Contract
  readonly result: ResultCodec
  /** Changes when the contract changes: approvals are bound to it. */
  readonly fingerprint: string
  /** False for the stand-in of a name that no tool has. */
  readonly exists: boolean
  /** The implementation in the caller's context; undefined where it was not provided. */
  readonly implementation: (context: Context.Context<never>) => Implementation | undefined
}

/** Where a tool class keeps its compiled form. */
export const Compiled: unique symbol = Symbol.for("effect-toolguard/Compiled")

/** The compiled form of a tool class. */
export const compiledOf = (tool: ToolReference): CompiledTool =>
  (tool as ToolReference & { readonly [Compiled]: CompiledTool })[Compiled]
