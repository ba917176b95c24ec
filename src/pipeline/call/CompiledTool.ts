/** Defines a tool as the stages see it: its definition, its codecs (compiled once), and how to find its implementation. */
import type { Success } from "#domain/call/Outcome"
import type { Permanent, Transient } from "#domain/failure/Failure"
import type { Contract } from "#domain/schema/Contract"
import type { ToolDefinition, ToolReference } from "#domain/tool/ToolDefinition"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"

/** The details of a call that its handler receives. */
export interface HandlerContext {
  readonly callId: string
  /** Which attempt this is, from 1. */
  readonly attempt: number
  /**
   * The key of the action, the same for all attempts: pass it to the upstream. Empty for a read, and for a write
   * without idempotency unless its run has a journal.
   */
  readonly idempotencyKey: string
  /** The tenant of the call's turn; `default` if the host has only one tenant. */
  readonly tenant: string
  /** The principal on whose behalf the call is made; undefined if the host named none. */
  readonly principal: string | undefined
  /**
   * Aborts when the guard no longer waits for this attempt: at the timeout of the attempt, or when the call is
   * interrupted, for example because the client disconnected or the process stops. Pass the signal to code that uses
   * promises, such as `fetch`. Effects need no signal, because they are interrupted.
   */
  readonly signal: AbortSignal
  /**
   * A number that grows when another process takes over the action of the key; undefined without a key. If an upstream
   * stores the highest token of a key and refuses lower ones, it refuses a process that was paused during the takeover.
   */
  readonly fencingToken: number | undefined
  /**
   * Checks that the call may still act, and renews the claim on its key. Run this effect directly before each effect on
   * the upstream. It fails if the call must no longer act: with Transient `timeout` if the time of the attempt is over,
   * with Transient `in_progress` if another process has taken over the action, and with Permanent `store_unavailable`
   * if the store of keys does not respond. Without a key, it checks only the time.
   *
   * Let the handler fail with this error. If the first check of an attempt fails, the guard concludes that the attempt
   * did nothing. Code that uses promises awaits `Effect.runPromise(context.ensureLease)`.
   */
  readonly ensureLease: Effect.Effect<void, Transient | Permanent>
}

/** A tool's implementation: its handler, and the services that its layer was built with. */
export interface Implementation {
  readonly handler: (args: unknown, context: HandlerContext) => Effect.Effect<unknown, unknown, never>
  /** Returns the services of the layer and of the caller; the caller's take precedence. */
  readonly contextFor: (caller: Context.Context<never>) => Context.Context<never>
}

/** The codec of a tool's results. */
export interface ResultCodec {
  /** Checks a value of `success`'s Type. */
  readonly checkValue: (value: unknown) => Result.Result<unknown, SchemaIssue.Issue>
  /** Decodes parsed JSON. */
  readonly decode: (json: unknown) => Result.Result<unknown, SchemaIssue.Issue>
  /** Encodes a value as JSON. Throws if the value does not conform to `success`. */
  readonly encode: (value: unknown) => unknown
  /** The schema of the results as its author maintains it. Reports and proposals are about this schema. */
  readonly schema: SchemaAST.AST
  /** The schema of the JSON that `encode` returns. */
  readonly encoded: SchemaAST.AST
  /**
   * Returns the canonical JSON of an encoded value without its volatile fields; undefined if `success` marks no volatile
   * fields.
   */
  readonly steady: ((encoded: unknown) => string) | undefined
  /** True if `success` names every field at every depth, so decoding drops everything else. */
  readonly isClosed: boolean
  /** True if `success` names the field to which a path of names leads, in its Type or in its JSON. */
  readonly declares: (path: ReadonlyArray<string>) => boolean
  /**
   * `string` and `bytes`: text is the value itself. `json`: text is parsed. A tool that declares `answers: "json"` has
   * `json`.
   */
  readonly text: "string" | "bytes" | "json"
}

/** A compiled tool. */
export interface CompiledTool {
  readonly definition: ToolDefinition
  readonly contract: Contract
  readonly result: ResultCodec
  /** Changes with the contract; approvals are bound to it. */
  readonly fingerprint: string
  /** False only for `unknownTool`. */
  readonly exists: boolean
  /**
   * The class of the tool; undefined for a dynamic tool. Dynamic tools with the same id count as one tool, because each
   * session creates them again.
   */
  readonly owner: string | undefined
  /** The layer that provides the implementation, for messages; undefined if that is the `layer` of its class. */
  readonly provider: string | undefined
  /** Returns the file and line of the class, for messages; undefined if they are unknown. */
  readonly site: () => string | undefined
  /** The identifier of the tool within a guard: its id, or a numbered id if another class of the guard has that id. */
  readonly scope: string
  /** Changes the definition after each policy of the guard and of the call, which would otherwise take precedence. */
  readonly adjust?: (definition: ToolDefinition) => ToolDefinition
  /** Why the guard refuses to call the tool; undefined if it does not refuse. */
  readonly refusal: string | undefined
  /** Finds the implementation in the caller's context; undefined if no layer provides it. */
  readonly implementation: (context: Context.Context<never>) => Implementation | undefined
}

const itself = (value: unknown): unknown => value

/** Returns the encoder of a success. A raw value is JSON already. */
export const encoderOf = ({ result }: CompiledTool, { isRaw }: Pick<Success, "isRaw">): ResultCodec["encode"] =>
  isRaw === true ? itself : result.encode

/** The property under which a tool class keeps its compiled form. */
export const Compiled: unique symbol = Symbol.for("effect-toolguard/Compiled")

/** Returns the compiled form of a tool class. */
export const compiledOf = (tool: ToolReference): CompiledTool =>
  // every tool class has the property; its public type does not show it
  (tool as ToolReference & { readonly [Compiled]: CompiledTool })[Compiled]
