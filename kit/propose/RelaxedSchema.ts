/**
 * Relaxes a schema at one place, so that the values of a group of faults pass, and no others.
 *
 * **Details**
 *
 * - The schema is the encoded side of a schema: the JSON of the results.
 * - A bound moves to the largest or smallest value of the group. A pattern or another rule that has no bound is removed.
 * - A change inside a recursive schema applies at every depth.
 */
import type { FaultGroup } from "effect-toolguard/internal/domain/faults/FaultGroups"
import { nodeAt, type Place, resolved } from "effect-toolguard/internal/domain/faults/FaultPlace"
import { type OtherForm, textPattern } from "effect-toolguard/internal/domain/faults/OtherForm"
import type { Suggestion } from "effect-toolguard/internal/domain/faults/Suggestion"
import * as SchemaNode from "effect-toolguard/internal/domain/schema/SchemaNode"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { shapeOf } from "#kit/infer/shapeOf"
import { toSchema } from "#kit/infer/toSchema"
import { movedBound } from "./MovedBound.ts"

type AST = SchemaAST.AST

/** The parts of a group that a change needs. */
type Change = Pick<FaultGroup<unknown>, "fault" | "suggestion" | "range" | "values">

/** The order in which changes of one place are applied. */
const order: ReadonlyArray<Suggestion["_tag"]> = [
  "wider bound",
  "wider type",
  "wider enum",
  "nullable",
  "optional",
  "open object",
  "keep"
]

/** Sorts changes so that each one is applied before the changes of the places that contain it. */
export const inOrder = <A extends Change>(changes: ReadonlyArray<A>): ReadonlyArray<A> =>
  changes.toSorted(
    (a, b) =>
      (b.fault.place?.length ?? 0) - (a.fault.place?.length ?? 0) ||
      order.indexOf(a.suggestion._tag) - order.indexOf(b.suggestion._tag)
  )

/**
 * Returns the schema with one change; `undefined` if the group suggests none, or the schema has no such place. `schema`
 * may already contain other changes of `original`.
 */
export const relax = (schema: AST, change: Change, original = schema): AST | undefined => {
  const { fault, suggestion } = change
  if (suggestion._tag === "keep" || suggestion._tag === "open object" || fault.place === undefined) return undefined
  const first = nodeAt(original, fault.place)
  return first === undefined ? undefined : changed(schema, fault.place, (node) => relaxed(node, first, change))
}

type Rewrite = (node: AST) => AST | undefined

/** Returns a copy of a schema in which the node at a place is rewritten. */
const changed = (ast: AST, place: Place, rewrite: Rewrite): AST | undefined => {
  const node = resolved(ast)
  const [step, ...rest] = place
  if (step === undefined) return rewrite(node)
  const inner = (target: AST): AST | undefined => changed(target, rest, rewrite)
  const copy = copyWith(node, step, inner)
  return copy === undefined ? undefined : tied(copy, node)
}

const copyWith = (node: AST, step: Place[number], inner: Rewrite): AST | undefined => {
  switch (step._tag) {
    case "Field": {
      if (node._tag !== "Objects") return undefined
      const own = node.propertySignatures.find(({ name }) => name === step.name)
      const type = own === undefined ? undefined : keepingOption(own.type, inner)
      if (own === undefined || type === undefined) return undefined
      const properties = node.propertySignatures.map((property) =>
        property === own ? new SchemaAST.PropertySignature(own.name, type) : property
      )
      return objects(node, properties, node.indexSignatures)
    }
    case "Values": {
      const [first, ...more] = node._tag === "Objects" ? node.indexSignatures : []
      const type = first === undefined ? undefined : inner(first.type)
      if (node._tag !== "Objects" || first === undefined || type === undefined) return undefined
      return objects(node, node.propertySignatures, [new SchemaAST.IndexSignature(first.parameter, type), ...more])
    }
    case "Items": {
      const [first, ...more] = node._tag === "Arrays" ? node.rest : []
      const type = first === undefined ? undefined : inner(first)
      return node._tag !== "Arrays" || type === undefined ? undefined : arrays(node, node.elements, [type, ...more])
    }
    case "Element": {
      const own = node._tag === "Arrays" ? node.elements[step.index] : undefined
      const type = own === undefined ? undefined : keepingOption(own, inner)
      if (node._tag !== "Arrays" || type === undefined) return undefined
      return arrays(node, node.elements.with(step.index, type), node.rest)
    }
    case "Member": {
      const own = node._tag === "Union" ? node.types[step.index] : undefined
      const type = own === undefined ? undefined : inner(own)
      return node._tag !== "Union" || type === undefined ? undefined : union(node, node.types.with(step.index, type))
    }
  }
}

const { Arrays, Objects, Union } = SchemaAST

const objects = (node: SchemaAST.Objects, ...[properties, indices]: ConstructorParameters<typeof Objects>) =>
  new Objects(properties, indices, node.annotations, node.checks, undefined, node.context)

const arrays = (node: SchemaAST.Arrays, elements: ReadonlyArray<AST>, rest: ReadonlyArray<AST>) =>
  new Arrays(node.isMutable, elements, rest, node.annotations, node.checks, undefined, node.context)

const union = (node: SchemaAST.Union, types: ReadonlyArray<AST>) =>
  new Union(types, node.options, node.annotations, node.checks, undefined, node.context)

/** Returns a copy of a node, which is optional if `isOptional`. */
const optional = (node: AST, isOptional: boolean): AST =>
  SchemaNode.rebuild(node, { annotations: node.annotations, checks: node.checks, isOptional })

/** Rewrites the type of a field, and keeps whether the field may be absent. */
const keepingOption = (type: AST, inner: Rewrite): AST | undefined => {
  const rewritten = inner(type)
  if (rewritten === undefined) return undefined
  return SchemaAST.isOptional(type) && !SchemaAST.isOptional(rewritten) ? optional(rewritten, true) : rewritten
}

/** Replaces the recursive references to `original` inside its copy with references to the copy. */
const tied = (copy: AST, original: AST): AST => {
  let result = copy
  const replace = (node: AST, isTop: boolean): AST => {
    if (node._tag === "Suspend") {
      if (resolved(node) !== original) return node
      return new SchemaAST.Suspend(() => result, node.annotations, node.checks, undefined, node.context)
    }
    if (!isTop && node === original) return node
    switch (node._tag) {
      case "Objects": {
        const properties = node.propertySignatures.map((property) => {
          const type = replace(property.type, false)
          return type === property.type ? property : new SchemaAST.PropertySignature(property.name, type)
        })
        const indices = node.indexSignatures.map((index) => {
          const type = replace(index.type, false)
          return type === index.type ? index : new SchemaAST.IndexSignature(index.parameter, type)
        })
        const isSame =
          properties.every((property, index) => property === node.propertySignatures[index]) &&
          indices.every((signature, index) => signature === node.indexSignatures[index])
        return isSame ? node : objects(node, properties, indices)
      }
      case "Arrays": {
        const elements = replaceAll(node.elements)
        const rest = replaceAll(node.rest)
        return elements === node.elements && rest === node.rest ? node : arrays(node, elements, rest)
      }
      case "Union": {
        const types = replaceAll(node.types)
        return types === node.types ? node : union(node, types)
      }
      default:
        return node
    }
  }
  const replaceAll = (all: ReadonlyArray<AST>): ReadonlyArray<AST> => {
    const replaced = all.map((one) => replace(one, false))
    return replaced.every((one, index) => one === all[index]) ? all : replaced
  }
  result = replace(copy, true)
  return result
}

/** Returns a union of a node and more members. The members of a plain union are extended. */
const either = (node: AST, ...more: ReadonlyArray<AST>): AST => {
  if (node._tag === "Union" && node.checks === undefined) return union(node, [...node.types, ...more])
  return new Union([optional(node, false), ...more], undefined, undefined, undefined, undefined, node.context)
}

/** Relaxes a node. `first` is the node without earlier changes. */
const relaxed = (node: AST, first: AST, { fault, range, suggestion, values }: Change): AST | undefined => {
  switch (suggestion._tag) {
    case "nullable":
      return either(node, SchemaAST.null)
    case "optional":
      return optional(node, true)
    case "wider enum":
      return either(node, ...suggestion.values.map((value) => new SchemaAST.Literal(value)))
    case "wider type": {
      const type = fault.form === undefined ? ofType(suggestion.type, undefined) : ofForm(fault.form, first, values)
      return type === undefined ? undefined : either(node, type)
    }
    case "wider bound":
      return movedBound(node, fault, range)
    default:
      return undefined
  }
}

const types: Readonly<Record<string, AST>> = {
  string: Schema.String.ast,
  number: Schema.Finite.ast,
  boolean: Schema.Boolean.ast,
  array: Schema.Array(Schema.Json).ast,
  object: Schema.Record(Schema.String, Schema.Json).ast
}

/** Returns the schema of values of a JSON type. The schema of objects or lists is inferred from the values. */
const ofType = (type: string, values: Change["values"]): AST | undefined => {
  if (values === undefined || (type !== "object" && type !== "array")) return types[type]
  const samples = values.map((entity) => ({ value: JSON.parse(entity) as unknown, entity }))
  const inferred = toSchema(shapeOf(samples, { name: "", of: "tool", isRoot: false }))
  return SchemaAST.toEncoded(Schema.toCodecJson(inferred).ast)
}

/** Returns the schema of the values of a form. */
const ofForm = (form: OtherForm, node: AST, values: Change["values"]): AST | undefined => {
  const plain = optional(node, false)
  switch (form._tag) {
    case "Type":
      return ofType(form.type, values)
    case "AsText":
      return Schema.String.check(Schema.isPattern(textPattern[form.type])).ast
    case "List":
      return new Arrays(false, [], [plain])
    case "Single":
      return node._tag === "Arrays" ? node.rest[0] : undefined
    case "Wrapped":
      return new Objects([new SchemaAST.PropertySignature(form.name, plain)], [])
  }
}
