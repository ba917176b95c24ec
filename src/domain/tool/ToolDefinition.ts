/**
 * Defines the form of a tool's definition that the stages read: with every default filled in.
 *
 * Users write the typed `GuardedTool.Definition`; `EffectivePolicy.resolve` fills in its policy fields. Arguments and
 * results have the type `unknown` here: the contract decodes them before a stage reads them.
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type { Access, AccessBy } from "./Access.ts"
import type { Approval } from "./Approval.ts"
import type { DeclaredRefusal } from "./DeclaredRefusal.ts"
import type { Level } from "./EscalationPolicy.ts"
import * as EffectivePolicy from "./EffectivePolicy.ts"
import type { Repeats, SharedPolicy } from "./PolicyInput.ts"
import * as PolicyShape from "./PolicyShape.ts"
import * as PolicySources from "./PolicySources.ts"
import * as SharedApproval from "./SharedApproval.ts"
import type { Verdict } from "./Verdict.ts"

/** A schema that needs no services. */
export type Codec = Schema.Codec<unknown, unknown, never, never>

/** The data that a check receives in addition to the result. */
export interface CheckContext<out Arguments = unknown, out Result = unknown> {
  readonly arguments: Arguments
  /** The name of the tool. The guard always provides it; a test may leave it out. */
  readonly tool?: string
  /** This tool's earlier results in the turn, oldest first. */
  readonly previous: ReadonlyArray<Result>
  /** The current time by the guard's clock, in epoch milliseconds. */
  readonly nowMillis: number
  /** True if `salvage` recovered the result from a truncated answer. It can have fewer rows than it claims. */
  readonly isSalvaged?: true
}

/** A check of a tool. */
export interface Check {
  readonly name: string
  readonly run: (result: unknown, context: CheckContext) => Verdict
}

/** How the rows of a truncated answer are recovered, and how to continue after them. */
export interface Salvage {
  /** The dotted path of the array in the encoded result, such as `data.items`; empty if the result is the array. */
  readonly path: string
  /** Returns the encoded fields that were lost with the end of the answer, such as `{ has_more: true }`. */
  readonly rest?: (rows: ReadonlyArray<unknown>, args: unknown) => object
  /** Returns the changed arguments of the call that continues after the last row. */
  readonly next?: (result: unknown, args: unknown) => object
  /** A sentence on how to narrow the request, if it cannot be continued. */
  readonly narrow?: string
}

/** How a tool is polled. Repeated polls are not a loop. */
export interface Poll {
  /** The minimum time between two identical calls, in milliseconds. */
  readonly intervalMillis: number
  /** The time limit from the first call, in milliseconds. */
  readonly deadlineMillis: number
  /** True if a result is the awaited result. Identical calls after the awaited result are ordinary repetitions. */
  readonly until: (result: unknown) => boolean
}

/** Where the idempotency key of a write comes from, and whether its upstream honours it. */
export interface Idempotency {
  readonly mode: "derived" | "key" | "none"
  /** The arguments from which the key is derived; if absent, all arguments. */
  readonly fields: ReadonlyArray<string> | undefined
  /** The scope in which a key that a model chose identifies one action, with the mode `key`. */
  readonly scope: "conversation" | "principal"
  /**
   * True if the upstream does a keyed action only once: an unknown outcome may then be retried with the same key.
   */
  readonly upstreamHonoursKey: boolean
  readonly timeToLive: Duration.Duration
}

/** A reference to another tool. */
export interface ToolReference {
  readonly toolName: string
}

/** A tool that answers if this tool cannot. */
export interface Fallback {
  readonly tool: ToolReference
  /** The codes after which the fallback is tried. Absent: after Permanent, SchemaMismatch and Transient. */
  readonly on?: ReadonlyArray<string>
  /** Maps decoded arguments to the encoded arguments of the fallback. */
  readonly arguments: (args: unknown) => unknown
}

/** A tool that looks up whether an action has happened. */
export interface Reconcile {
  readonly tool: ToolReference
  /** Maps decoded arguments to the encoded arguments of the lookup. */
  readonly arguments: (args: unknown, idempotencyKey: string) => unknown
  /** Returns the result of the action in `Some` if the action happened, and `None` if it did not happen. */
  readonly found: (result: unknown, args: unknown) => Option.Option<unknown>
}

/** The definition of a tool. */
export interface ToolDefinition extends EffectivePolicy.EffectivePolicy {
  /** The policies that the user set, by source. */
  readonly sources: PolicySources.PolicySources
  /**
   * Where the fields outside the policy were set, by their path, such as `idempotency.mode`. Unset fields are absent.
   */
  readonly declared: Readonly<Record<string, "tool" | "use site">>
  /** The default of `repeats`, if no source sets it. */
  readonly defaultRepeats: Repeats | undefined
  /** The name by which a model calls the tool. */
  readonly name: string
  /** Identifies the tool outside the process: in keys, circuits, quotas, approvals and records. */
  readonly id: string
  readonly description: string
  readonly access: Access
  /** Who stated the access. `server` also covers the method of a request and an access that is not stated. */
  readonly accessBy: AccessBy
  /** True for a tool of another server (MCP, OpenAPI), whose errors do not end a run. */
  readonly isRemote: boolean
  readonly parameters: Codec
  readonly success: Codec
  /** With `json`, a text is parsed even if `success` is a string. */
  readonly answers: "json" | "value"
  readonly checks: ReadonlyArray<Check>
  readonly refusals: ReadonlyArray<DeclaredRefusal>
  /** Returns the fields of an error that the handler declares, as JSON for the detail; undefined for any other error. */
  readonly fieldsOfError: ((error: unknown) => string | undefined) | undefined
  readonly fallbacks: ReadonlyArray<Fallback>
  readonly idempotency: Idempotency
  readonly reconcile: Reconcile | undefined
  readonly salvage: Salvage | undefined
  readonly poll: Poll | undefined
  /** True if the read becomes a poll while its result is the status of unfinished work [7.2]. */
  readonly watchesStatus: boolean
  /** The approvals of policies of several tools, the farthest first. */
  readonly sharedApprovals: ReadonlyArray<SharedApproval.SourcedApproval>
  readonly approval: Level | ((args: unknown) => Approval | Effect.Effect<Approval, unknown>) | undefined
}

/**
 * True if a failed attempt, or one with an unknown outcome, may be repeated: a read, or a keyed or reconciled write.
 */
export const isRepeatable = ({
  access,
  idempotency,
  reconcile
}: Pick<ToolDefinition, "access" | "idempotency" | "reconcile">): boolean =>
  access === "read" || idempotency.mode !== "none" || reconcile !== undefined

/**
 * True if the owner of a tool declared it destructive. Each unknown outcome of the tool then ends the run for a person
 * [3.3]. A server's hints, or their absence, make a tool destructive only for approvals.
 */
export const isOwnedDestructive = ({ access, accessBy }: Pick<ToolDefinition, "access" | "accessBy">): boolean =>
  access === "destructive" && accessBy === "owner"

/**
 * Returns the access that decides how the guard handles failures of a tool. A destructive tool counts as a write unless
 * its owner declared it destructive [3.3].
 */
export const answeredAs = (definition: Pick<ToolDefinition, "access" | "accessBy">): Access =>
  definition.access === "destructive" && !isOwnedDestructive(definition) ? "write" : definition.access

/** Returns the definition with policy fields of a source. Throws a RangeError if they contradict the others. */
export const withPolicy = (
  definition: ToolDefinition,
  source: keyof PolicySources.PolicySources,
  input: SharedPolicy
): ToolDefinition => {
  PolicyShape.check(definition.name, input)
  const { approval, ...fields } = input
  const sources = PolicySources.add(definition.sources, source, fields)
  const idempotency = sharedIdempotency(definition, sources)
  const policy = EffectivePolicy.ofSources(definition.name, sources, isRepeatable({ ...definition, idempotency }))
  return {
    ...definition,
    ...policy,
    idempotency,
    repeats: policy.repeats ?? definition.defaultRepeats,
    sources,
    sharedApprovals: SharedApproval.add(definition.sharedApprovals, source, approval)
  }
}

/**
 * Returns the idempotency of a tool after the policies of several tools. A write whose definition sets no idempotency
 * gets the shared one, unless the write is polled, because each poll is a separate call.
 */
const sharedIdempotency = (
  { access, declared, idempotency, poll }: ToolDefinition,
  sources: PolicySources.PolicySources
): Idempotency => {
  const isStated = declared["idempotency.mode"] !== undefined
  const mode =
    isStated || access === "read" || poll !== undefined ? undefined : PolicySources.merged(sources, false).idempotency
  return mode === undefined ? idempotency : { ...idempotency, mode }
}
