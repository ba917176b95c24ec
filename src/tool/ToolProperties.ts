/** Derives the public properties of a tool class from its definition, and derives them again for an override. */
import * as Failure from "#domain/failure/Failure"
import type { Contract } from "#domain/schema/Contract"
import type { AccessBy } from "#domain/tool/Access"
import * as EffectivePolicy from "#domain/tool/EffectivePolicy"
import type { PolicyInput } from "#domain/tool/PolicyInput"
import * as PolicyShape from "#domain/tool/PolicyShape"
import type { RefusalInput } from "#domain/tool/DeclaredRefusal"
import * as Setting from "#domain/tool/Setting"
import {
  type Check,
  isRepeatable,
  type Poll,
  type ToolDefinition,
  type ToolReference
} from "#domain/tool/ToolDefinition"
import { compile } from "#pipeline/call/ToolCompiler"
import { Compiled, type CompiledTool } from "#pipeline/call/CompiledTool"
import { declaredBy } from "#pipeline/call/TypedFailure"
import * as Tool from "effect/ai/Tool"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { partsOutputOf } from "./EnvelopeParts.ts"
import type { IdempotencyInput, PollInput } from "./Definition.ts"
import * as DefinitionShape from "./DefinitionShape.ts"
import { Guard } from "#src/guard/Guard"
import * as Refusals from "./Refusals.ts"
import type { AnyTool } from "./ToolClass.ts"

/** The inputs of `make`. */
export interface Parts {
  readonly definition: ToolDefinition
  readonly contract: Contract
  /** The class of the tool; undefined for a dynamic tool. */
  readonly owner: string | undefined
  /** The layer that provides the implementation, for messages; undefined if that is the `layer` of its class. */
  readonly provider?: string
  /** Returns the file and line of the class, for messages. */
  readonly site?: CompiledTool["site"]
  /** Finds the tool's implementation in a context. */
  readonly find: CompiledTool["implementation"]
  /** Returns the definition, or throws a RangeError if it violates a rule. */
  readonly rules: (definition: ToolDefinition) => ToolDefinition
}

/** Returns the properties of a tool. `ToolService` adds the layers. */
export const make = (parts: Parts) => {
  const { contract, definition, find, owner, provider, site = () => undefined } = parts
  return {
    toolName: definition.name,
    toolId: definition.id,
    description: definition.description,
    access: definition.access,
    parameters: definition.parameters,
    success: definition.success,
    definition,
    contract,
    retrySafe: isRepeatable(definition),
    jsonSchema: contract.jsonSchema,
    failureSchema: failureSchemaOf(definition),
    [Inputs]: parts,
    [Compiled]: compile(definition, contract, find, { owner, provider, site }),
    call(this: ToolReference, args: unknown) {
      return Effect.flatMap(Guard, (guard) => guard.call(this, args))
    },
    ai: Tool.dynamic(definition.name, {
      description: contract.describe(definition.description),
      parameters: contract.jsonSchema,
      success: Schema.Json,
      failure: Schema.Json,
      failureMode: "return",
      toModelOutput: partsOutputOf
    })
  }
}

/** Returns the schema of the errors of a call: the eight failures, and the declared refusals. */
const failureSchemaOf = (definition: ToolDefinition): Schema.Codec<unknown, unknown> => {
  const failures = Failure.codec(definition.success)
  const refusals = declaredBy(definition).map(({ schema }) => Schema.toCodecJson(schema))
  return refusals.length === 0 ? failures : Schema.Union([...refusals, failures])
}

/** The property of a tool that contains its inputs. */
const Inputs: unique symbol = Symbol.for("effect-toolguard/Made")

/** Returns the same tool, with the same service and layer, and a changed definition. */
export const derive = <T extends AnyTool>(tool: T, change: (definition: ToolDefinition) => ToolDefinition): T => {
  // `make` has created every tool
  const parts = (tool as T & ReturnType<typeof make>)[Inputs]
  const properties = make({ ...parts, definition: parts.rules(change(parts.definition)) })
  return Object.create(tool, Object.getOwnPropertyDescriptors(properties))
}

/** Marks a tool as one of another server, whose errors do not end a run. */
export const ofServer = <T extends AnyTool>(tool: T): T =>
  derive(tool, (definition) => ({ ...definition, isRemote: true }))

/** The fields of a definition other than its policy, as the compiler has checked them. */
interface Fields extends Pick<
  ToolDefinition,
  "access" | "approval" | "description" | "parameters" | "reconcile" | "salvage" | "success"
> {
  readonly accessBy?: AccessBy | undefined
  readonly answers?: "json"
  readonly checks?: Readonly<Record<string, Check["run"]>>
  readonly refusals?: ReadonlyArray<RefusalInput>
  readonly fieldsOfError?: ToolDefinition["fieldsOfError"]
  readonly id?: string | undefined
  readonly fallbacks?: ToolDefinition["fallbacks"]
  readonly idempotency?: IdempotencyInput<never>
  readonly poll?: PollInput<unknown> | false
}

/** Returns the definition with all defaults. Throws a RangeError for a field with an unknown name or a wrong type. */
export const resolve = (name: string, input: PolicyInput): ToolDefinition => {
  DefinitionShape.check(name, input)
  const {
    access,
    accessBy,
    answers,
    approval,
    checks,
    description,
    fallbacks,
    fieldsOfError,
    id,
    parameters,
    poll,
    reconcile,
    refusals,
    salvage,
    success,
    ...rest
    // callers pass complete definitions, whose types differ
  } = input as PolicyInput & Fields
  const idempotency = resolveIdempotency(name, rest.idempotency)
  const { idempotency: _, ...fields } = rest
  const policy = PolicyShape.fieldsOf(fields)
  const effective = EffectivePolicy.resolve(name, policy, isRepeatable({ access, idempotency, reconcile }))
  const defaultRepeats = rest.idempotency === "none" ? "allowed" : "once"
  return {
    ...effective,
    repeats: effective.repeats ?? defaultRepeats,
    defaultRepeats,
    sources: { tool: policy },
    declared: declaredOf({ ...input }),
    name,
    id: id ?? name,
    description,
    access,
    accessBy: accessBy ?? "owner",
    isRemote: false,
    parameters,
    success,
    answers: answers ?? "value",
    checks: Object.entries(checks ?? {}).map(([check, run]) => ({ name: check, run })),
    fieldsOfError,
    refusals: refusals === undefined ? [] : Refusals.resolve(name, refusals, Object.keys(checks ?? {})),
    fallbacks: fallbacks ?? [],
    idempotency,
    reconcile,
    salvage,
    poll: poll === undefined || poll === false ? undefined : resolvePoll(name, poll),
    watchesStatus: poll === undefined,
    sharedApprovals: [],
    approval
  }
}

/** Returns the fields that a definition sets, by their path. */
const declaredOf = (input: Readonly<Record<string, unknown>>): ToolDefinition["declared"] =>
  Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .flatMap(([field, value]) => pathsOf(field, value))
      .map((path) => [path, "tool"])
  )

const nested: ReadonlySet<string> = new Set(["idempotency", "poll", "salvage"])

const pathsOf = (field: string, value: unknown): ReadonlyArray<string> => {
  if (field === "idempotency" && typeof value === "string") return ["idempotency.mode"]
  return nested.has(field) ? Object.keys(value as object).map((name) => `${field}.${name}`) : [field]
}

/** Resolves the settings of a poll. Throws a RangeError if the deadline leaves no time for a second call. */
export const resolvePoll = (tool: string, { deadline, interval, until }: PollInput<unknown>): Poll => {
  const intervalMillis = Setting.millis(tool, "poll.interval", interval)
  const deadlineMillis = Setting.millis(tool, "poll.deadline", deadline)
  if (deadlineMillis >= intervalMillis) return { intervalMillis, deadlineMillis, until }
  throw Setting.tooShort(
    tool,
    ["poll.deadline", deadlineMillis],
    ["poll.interval", intervalMillis],
    "so no poll could follow the first",
    "set a longer `deadline` or a shorter `interval`"
  )
}

const resolveIdempotency = (
  tool: string,
  input: IdempotencyInput<never> | undefined
): ToolDefinition["idempotency"] => {
  const options: Partial<Exclude<IdempotencyInput<never>, string>> = typeof input === "object" ? input : {}
  const { timeToLive = "24 hours" } = options
  return {
    mode: typeof input === "object" ? input.mode : (input ?? "none"),
    fields: options.fields,
    scope: options.scope ?? "conversation",
    upstreamHonoursKey: options.upstreamHonoursKey ?? false,
    timeToLive: Setting.lifetime(tool, "idempotency.timeToLive", timeToLive)
  }
}
