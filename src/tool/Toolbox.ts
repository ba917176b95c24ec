/**
 * A toolbox: tools composed into one value. Its requirements are the union of theirs.
 *
 * A duplicate name is a compile-time error if names are literals, and otherwise a `RangeError` when the box is made.
 */
import type { PolicyInput } from "#domain/tool/ToolDefinition"
import * as Failure from "#domain/failure/Failure"
import type * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { Guard, type ModelAnswer, type ModelCall } from "#src/guard/Guard"
import { GuardedBy } from "./GuardedAnnotation.ts"
import { handlersOf } from "./Handlers.ts"
import * as Overrides from "./Overrides.ts"
import type { AnyTool, ErrorOf, RequirementsOf, SuccessOf } from "./ToolClass.ts"

/** The tools by name, as effect/ai types them. */
export type Kit<Tools extends AnyTool> = { readonly [T in Tools as T["toolName"]]: T["ai"] }

export interface Toolbox<Tools extends AnyTool> {
  readonly tools: ReadonlyMap<string, Tools>
  readonly names: ReadonlyArray<Tools["toolName"]>
  /** Returns the tool with this name. */
  get<Name extends Tools["toolName"]>(name: Name): Extract<Tools, { readonly toolName: Name }>
  /** Calls a tool for a program: the typed error channel, and ToolArgError for an unknown name. */
  call(
    name: Tools["toolName"],
    args: unknown
  ): Effect.Effect<SuccessOf<Tools>, ErrorOf<Tools> | Failure.ToolArgError, RequirementsOf<Tools> | Guard>
  /** Calls a tool for a model: returns an envelope and never fails. */
  answer(call: ModelCall): Effect.Effect<ModelAnswer, never, RequirementsOf<Tools> | Guard>
  /** The tools as an effect/ai toolkit: closed schemas, and the guard behind each handler. */
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

/** Composes tools. Throws a RangeError if two have the same name. */
export const make = <const Tools extends ReadonlyArray<AnyTool>>(
  ...tools: {
    readonly [K in keyof Tools]: Tools[K] &
      Distinct<Tools[K]["toolName"], Positions<Tools>[Tools[K]["toolName"] & keyof Positions<Tools>], K>
  }
): Toolbox<Tools[number]> => of(tools as never)

/** Refuses names that both boxes have. Names that are not literals are compared at run time instead. */
export type Disjoint<Name extends string, Other extends string> = string extends Name | Other
  ? unknown
  : [Name & Other] extends [never]
    ? unknown
    : `Two tools are named "${Name & Other}".`

/** Merges two toolboxes. Throws a RangeError if both have a tool of the same name. */
export const merge = <A extends AnyTool, B extends AnyTool>(
  self: Toolbox<A>,
  that: Toolbox<B> & Disjoint<A["toolName"], B["toolName"]>
): Toolbox<A | B> => of([...self.tools.values(), ...that.tools.values()] as never)

/** Overrides policy fields of all tools in the box. */
export const policy =
  (input: Omit<PolicyInput, "retry">) =>
  <Tools extends AnyTool>(self: Toolbox<Tools>): Toolbox<Tools> =>
    of([...self.tools.values()].map((tool) => Overrides.policy(input)(tool)))

const of = <Tools extends AnyTool>(list: ReadonlyArray<Tools>): Toolbox<Tools> => {
  const tools = new Map<string, Tools>()
  for (const tool of list) {
    if (tools.has(tool.toolName)) throw new RangeError(`Two tools are named "${tool.toolName}".`)
    tools.set(tool.toolName, tool)
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
    handlers: handlersOf(toolkit as never, [...tools.keys()], answer)
  } as never
}

/**
 * The tool as hosts run it. Its handler has an id of its own, so that the handlers of a toolkit behind the guard keep
 * theirs: a host that is given only those cannot run the tool past the guard.
 */
const hosted = (tool: AnyTool): AnyTool["ai"] =>
  Object.assign(tool.ai.annotate(GuardedBy, tool), { id: `effect-toolguard/handler/${tool.toolName}` })

const unknownTool = (name: string, names: ReadonlyArray<string>) =>
  Failure.ofCode("unknown_tool", {
    tool: name,
    detail: `No tool is named "${name}".`,
    hint: `Tools: ${names.join(", ")}.`
  })

/** The tools of a box, as effect/ai sees them. */
export type Tools<T> = T extends Toolbox<infer Tools> ? Tools : never
