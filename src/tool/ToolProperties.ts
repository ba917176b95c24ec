/** The public properties of a tool class, derived from its definition, and how an override derives them again. */
import * as Failure from "#domain/failure/Failure"
import type { Contract } from "#domain/schema/Contract"
import {
  type Check,
  isRepeatable,
  type PolicyInput,
  resolvePolicy,
  type ToolDefinition,
  type ToolReference
} from "#domain/tool/ToolDefinition"
import { compile } from "#pipeline/call/ToolCompiler"
import { Compiled, type CompiledTool } from "#pipeline/call/CompiledTool"
import * as Tool from "effect/ai/Tool"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { partsOutputOf } from "./EnvelopeParts.ts"
import type { IdempotencyInput, PollInput } from "./Definition.ts"
import { Guard } from "#src/guard/Guard"
import type { AnyTool } from "./ToolClass.ts"

/** The inputs of `make`. */
export interface Parts {
  readonly definition: ToolDefinition
  readonly contract: Contract
  /** Finds the tool's implementation in a context. */
  readonly find: CompiledTool["implementation"]
  /** Returns the definition, or throws a RangeError if it breaks a rule. */
  readonly rules: (definition: ToolDefinition) => ToolDefinition
}

/** The properties of the tool as data and as hosts see them; `ToolService` adds the layers. */
export const make = (parts: Parts) => {
  const { contract, definition, find } = parts
  return {
    toolName: definition.name,
    description: definition.description,
    access: definition.access,
    parameters: definition.parameters,
    success: definition.success,
    definition,
    contract,
    retrySafe: isRepeatable(definition),
    jsonSchema: contract.jsonSchema,
    failureSchema: Failure.codec(definition.success),
    [Made]: parts,
    [Compiled]: compile(definition, contract, find),
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

/** The property under which a tool keeps its inputs. */
const Made: unique symbol = Symbol.for("effect-toolguard/Made")

/** The same tool with another definition: same service, same layer, other policy. */
export const derive = <T extends AnyTool>(tool: T, change: (definition: ToolDefinition) => ToolDefinition): T => {
  const parts = (tool as T & ReturnType<typeof make>)[Made]
  const properties = make({ ...parts, definition: parts.rules(change(parts.definition)) })
  return Object.create(tool, Object.getOwnPropertyDescriptors(properties))
}

/** The fields of a definition other than its policy, once the compiler has checked them. */
interface Fields extends Pick<
  ToolDefinition,
  "access" | "approval" | "description" | "parameters" | "reconcile" | "salvage" | "success"
> {
  readonly answers?: "json"
  readonly checks?: Readonly<Record<string, Check["run"]>>
  readonly critical?: boolean
  readonly fallbacks?: ToolDefinition["fallbacks"]
  readonly idempotency?: IdempotencyInput<never>
  readonly poll?: PollInput<unknown>
}

/** The definition with every default filled in. */
export const resolve = (name: string, input: PolicyInput): ToolDefinition => {
  const {
    access,
    answers,
    approval,
    checks,
    critical,
    description,
    fallbacks,
    parameters,
    poll,
    reconcile,
    salvage,
    success,
    ...rest
  } = input as PolicyInput & Fields
  const idempotency = resolveIdempotency(rest.idempotency)
  return {
    ...resolvePolicy(input, isRepeatable({ access, idempotency, reconcile })),
    name,
    description,
    access,
    critical: critical ?? false,
    parameters,
    success,
    answers: answers ?? "value",
    checks: Object.entries(checks ?? {}).map(([check, run]) => ({ name: check, run })),
    fallbacks: fallbacks ?? [],
    idempotency,
    reconcile,
    salvage,
    poll:
      poll === undefined
        ? undefined
        : {
            intervalMillis: Duration.toMillis(Duration.fromInputUnsafe(poll.interval)),
            deadlineMillis: Duration.toMillis(Duration.fromInputUnsafe(poll.deadline)),
            until: poll.until
          },
    approval
  }
}

const resolveIdempotency = (input: IdempotencyInput<never> | undefined): ToolDefinition["idempotency"] => {
  const given = typeof input === "object" ? input : { mode: input ?? ("none" as const) }
  const options = given as Exclude<IdempotencyInput<never>, string>
  return {
    mode: given.mode,
    fields: options.fields,
    upstreamHonoursKey: options.upstreamHonoursKey ?? false,
    timeToLive: Duration.fromInputUnsafe(options.timeToLive ?? "24 hours")
  }
}
