/**
 * Composes tools into one value. A toolbox requires what its tools require.
 *
 * A duplicate name is a compile-time error if names are literals, and otherwise a `RangeError` when the toolbox is
 * created.
 */
import type { SharedPolicy } from "#domain/tool/PolicyInput"
import * as Failure from "#domain/failure/Failure"
import type * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { Guard, GuardedTurn, type ModelAnswer, type ModelCall } from "#src/guard/Guard"
import type { ToolDescription } from "#src/guard/Description"
import { GuardedBy } from "./GuardedAnnotation.ts"
import { handlersOf } from "./Handlers.ts"
import * as Overrides from "./Overrides.ts"
import type { AnyTool, ErrorOf, RequirementsOf, SuccessOf } from "./ToolClass.ts"

/** The effect/ai tools by name. */
export type Kit<Tools extends AnyTool> = { readonly [T in Tools as T["toolName"]]: T["ai"] }

export interface Toolbox<Tools extends AnyTool> {
  readonly tools: ReadonlyMap<string, Tools>
  readonly names: ReadonlyArray<Tools["toolName"]>
  /** Returns the tool with this name. */
  get<Name extends Tools["toolName"]>(name: Name): Extract<Tools, { readonly toolName: Name }>
  /**
   * Calls a tool for a program. Fails with the typed failures of the tools, and with ToolArgError for an unknown name.
   */
  call(
    name: Tools["toolName"],
    args: unknown
  ): Effect.Effect<SuccessOf<Tools>, ErrorOf<Tools> | Failure.ToolArgError, RequirementsOf<Tools> | Guard>
  /** Calls a tool for a model: returns an envelope and never fails. */
  answer(call: ModelCall): Effect.Effect<ModelAnswer, never, RequirementsOf<Tools> | Guard>
  /** The tools as an effect/ai toolkit, with closed schemas. */
  readonly toolkit: Toolkit.Toolkit<Kit<Tools>>
  /** The guarded handlers of `toolkit`, for hosts that run the tools themselves. */
  readonly handlers: Layer.Layer<Tool.HandlersFor<Kit<Tools>>, never, RequirementsOf<Tools> | Guard>
}

/** The positions of each name. */
export type Positions<Tools extends ReadonlyArray<AnyTool>> = {
  readonly [K in Extract<keyof Tools, `${number}`> as Tools[K]["toolName"]]: K
}

/** Refuses a name with more than one position. */
export type Distinct<Name extends string, Position, K> = [Position] extends [K]
  ? unknown
  : `Two tools are named "${Name}".`

/** Composes tools. Throws a RangeError if two tools have the same name or id. */
export const make = <const Tools extends ReadonlyArray<AnyTool>>(
  ...tools: {
    readonly [K in keyof Tools]: Tools[K] &
      Distinct<Tools[K]["toolName"], Positions<Tools>[Tools[K]["toolName"] & keyof Positions<Tools>], K>
  }
): Toolbox<Tools[number]> => of(tools as never) // without the intersections, these are the tools

/** Refuses names that both toolboxes have. Names that are not literals are compared at run time instead. */
export type DisjointNames<Name extends string, Other extends string> = string extends Name | Other
  ? unknown
  : [Name & Other] extends [never]
    ? unknown
    : `Two tools are named "${Name & Other}".`

/** Merges two toolboxes. Throws a RangeError if two tools have the same name or id. */
export const merge = <A extends AnyTool, B extends AnyTool>(
  self: Toolbox<A>,
  that: Toolbox<B> & DisjointNames<A["toolName"], B["toolName"]>
): Toolbox<A | B> => of<A | B>([...self.tools.values(), ...that.tools.values()])

/**
 * Sets policy fields of all tools, where neither the tool's definition nor its use site sets them. With a `retry`,
 * writes without idempotency or reconcile are still repeated only after attempts that did nothing [2.9]. An `approval`
 * applies in addition to a tool's approval: the strictest level wins. `idempotency` applies to writes without
 * `idempotency` in their definition. Throws a RangeError if the fields contradict the fields of a tool.
 */
export const policy =
  (input: SharedPolicy) =>
  <Tools extends AnyTool>(self: Toolbox<Tools>): Toolbox<Tools> =>
    of([...self.tools.values()].map((tool) => Overrides.withPolicy("toolbox", input)(tool)))

/**
 * Describes the effective policy of each tool behind the guard: every field with its value and where it was set, and
 * the stages that do something for the tool.
 */
export const describe = <Tools extends AnyTool>(
  self: Toolbox<Tools>
): Effect.Effect<ReadonlyArray<ToolDescription>, never, Guard> =>
  Effect.flatMap(GuardedTurn, (guard) => Effect.forEach(self.tools.values(), guard.describe))

const of = <Tools extends AnyTool>(list: ReadonlyArray<Tools>): Toolbox<Tools> => {
  const tools = new Map<string, Tools>()
  const names = new Map<string, string>()
  for (const tool of list) {
    const { toolId, toolName } = tool
    if (tools.has(toolName)) throw new RangeError(`Two tools are named "${toolName}".`)
    const other = names.get(toolId)
    if (other !== undefined) {
      throw new RangeError(`The tools "${other}" and "${toolName}" have the id "${toolId}": give one its own \`id\`.`)
    }
    tools.set(toolName, tool)
    names.set(toolId, toolName)
  }
  const toolkit = Toolkit.make(...list.map(hosted))
  const answer = (call: ModelCall) => Effect.flatMap(Guard, (guard) => guard.answer(tools, call))
  return {
    tools,
    names: [...tools.keys()],
    get: (name: string) => tools.get(name),
    call: (name: string, args: unknown) => {
      const tool = tools.get(name)
      return tool === undefined
        ? Effect.fail(unknownTool(name, [...tools.keys()]))
        : Effect.flatMap(Guard, (guard) => guard.call(tool, args))
    },
    answer,
    toolkit,
    // see the cast below
    handlers: handlersOf(toolkit as never, tools, answer)
    // the types depend on the names in a list that is known only at run time
  } as never
}

/**
 * Returns the tool for hosts. The handler is registered under the key of the tool's service instead of its name, so
 * that no other handler of that name can be used for it.
 */
const hosted = (tool: AnyTool): AnyTool["ai"] =>
  Object.assign(tool.ai.annotate(GuardedBy, tool), { id: `${tool.key}/handler` })

const unknownTool = (name: string, names: ReadonlyArray<string>) =>
  Failure.ofCode("unknown_tool", {
    tool: name,
    detail: `No tool is named "${name}".`,
    hint: `Tools: ${names.join(", ")}.`
  })

/** The union of the tools of a toolbox. */
export type Tools<T> = T extends Toolbox<infer Tools> ? Tools : never
