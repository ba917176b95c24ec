/**
 * Relaxes a schema at one place, so that the values of a group of faults pass.
 *
 * **Details**
 *
 * - The schema has the form that its author maintains, with its conversions; the values are JSON.
 * - A bound moves to the largest or smallest value of the group. A pattern or another rule that has no bound is removed.
 * - A change inside a recursive schema applies at every depth.
 * - Nothing inside a converted value is changed, because the conversion expects the present form. The exceptions are
 *   classes and the type parameters of declared types, such as `Option` and `HashMap`.
 */
import * as EnumLiteral from "effect-toolguard/internal/domain/faults/EnumLiteral"
import type { FaultGroup } from "effect-toolguard/internal/domain/faults/FaultGroups"
import { formOf, innerOf, nodeAt, type Place, resolved } from "effect-toolguard/internal/domain/faults/FaultPlace"
import { movedBound } from "effect-toolguard/internal/domain/faults/MovedBound"
import type { Suggestion } from "effect-toolguard/internal/domain/faults/Suggestion"
import { notationOf } from "effect-toolguard/internal/domain/schema/SchemaNotation"
import { rulesOf } from "effect-toolguard/internal/domain/schema/SchemaCode"
import * as SchemaNode from "effect-toolguard/internal/domain/schema/SchemaNode"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { type Notation, ofForm, ofType, required } from "./AddedSchema.ts"

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
  "by hand",
  "keep"
]

/** Sorts changes so that each change is applied before the changes of the places that contain it. */
export const inOrder = <A extends Change>(changes: ReadonlyArray<A>): ReadonlyArray<A> =>
  changes.toSorted(
    (a, b) =>
      (b.fault.place?.length ?? 0) - (a.fault.place?.length ?? 0) ||
      order.indexOf(a.suggestion._tag) - order.indexOf(b.suggestion._tag)
  )

/**
 * Returns the schema with one change. Returns `undefined` if the group suggests no change, if the schema has no such
 * place, or if a rule around the place is a function. `schema` may already contain other changes of `original`.
 */
export const relax = (schema: AST, change: Change, original = schema): AST | undefined => {
  const { fault, suggestion } = change
  const { place } = fault
  if (unwritten.has(suggestion._tag) || place === undefined) return undefined
  const first = nodeAt(original, place)
  // a function around the place may refuse the changed value, or fail on it
  if (place.some((_, depth) => isJudgedByFunction(nodeAt(original, place.slice(0, depth))))) return undefined
  const notation = notationOf(original)
  return first === undefined ? undefined : changed(schema, place, (node) => relaxed(node, first, change, notation))
}

/** True if a rule of a node is a function, so that it is unknown which values it accepts. */
const isJudgedByFunction = (node: AST | undefined): boolean =>
  node !== undefined && rulesOf(node).some(({ source }) => source === undefined)

const unwritten: ReadonlySet<Suggestion["_tag"]> = new Set(["keep", "by hand", "open object"])

type Rewrite = (node: AST) => AST | undefined

/** Returns a copy of a schema in which the node at a place is rewritten. */
const changed = (ast: AST, place: Place, rewrite: Rewrite): AST | undefined => {
  const node = resolved(ast)
  const [step, ...rest] = place
  if (step === undefined) return rewrite(node)
  const inner = (target: AST): AST | undefined => changed(target, rest, rewrite)
  const copy = step._tag === "Form" ? withParameter(node, rest, rewrite) : copyWith(node, step, inner)
  return copy === undefined ? undefined : tied(copy, node)
}

/** Rewrites a node inside one of the schemas that a declared type or a class is made of. */
const withParameter = (node: AST, place: Place, rewrite: Rewrite): AST | undefined => {
  let form = formOf(node)
  if (node._tag !== "Declaration" || !SchemaNode.isMadeOfParameters(node)) return undefined
  for (const [depth, step] of [...place, undefined].entries()) {
    const index = form === undefined ? -1 : node.typeParameters.indexOf(form)
    const own = node.typeParameters[index]
    if (own !== undefined) {
      const type = changed(own, place.slice(depth), rewrite)
      // a type parameter cannot be optional
      const isAbsent = type !== undefined && SchemaAST.isOptional(type) && !SchemaAST.isOptional(own)
      return type === undefined || isAbsent ? undefined : declaration(node, node.typeParameters.with(index, type))
    }
    form = form === undefined || step === undefined ? undefined : innerOf(resolved(form), step)
  }
  return undefined
}

const copyWith = (node: AST, step: Place[number], inner: Rewrite): AST | undefined => {
  switch (step._tag) {
    case "Field": {
      if (node._tag !== "Objects") return undefined
      const own = node.propertySignatures.find(({ name }) => name === step.name)
      const type = own === undefined ? undefined : keepingOptionality(own.type, inner)
      if (own === undefined || type === undefined) return undefined
      const properties = node.propertySignatures.map((property) =>
        property === own ? new SchemaAST.PropertySignature(own.name, type) : property
      )
      return objects(node, properties, node.indexSignatures)
    }
    case "Values": {
      const index = step.index ?? 0
      const own = node._tag === "Objects" ? node.indexSignatures[index] : undefined
      const type = own === undefined ? undefined : inner(own.type)
      if (node._tag !== "Objects" || own === undefined || type === undefined) return undefined
      const values = new SchemaAST.IndexSignature(own.parameter, type)
      return objects(node, node.propertySignatures, node.indexSignatures.with(index, values))
    }
    case "Items": {
      const [first, ...more] = node._tag === "Arrays" ? node.rest : []
      const type = first === undefined ? undefined : inner(first)
      return node._tag !== "Arrays" || type === undefined ? undefined : arrays(node, node.elements, [type, ...more])
    }
    case "Element": {
      const own = node._tag === "Arrays" ? node.elements[step.index] : undefined
      const type = own === undefined ? undefined : keepingOptionality(own, inner)
      if (node._tag !== "Arrays" || type === undefined) return undefined
      // only the last elements of a list may be absent
      const next = node.elements[step.index + 1]
      if (SchemaAST.isOptional(type) && next !== undefined && !SchemaAST.isOptional(next)) return undefined
      return arrays(node, node.elements.with(step.index, type), node.rest)
    }
    case "Member": {
      const own = node._tag === "Union" ? node.types[step.index] : undefined
      const type = own === undefined ? undefined : inner(own)
      return node._tag !== "Union" || type === undefined ? undefined : union(node, node.types.with(step.index, type))
    }
    case "Form":
      return undefined
  }
}

const { Arrays, Objects, Union } = SchemaAST

const objects = (node: SchemaAST.Objects, ...[properties, indices]: ConstructorParameters<typeof Objects>) =>
  new Objects(properties, indices, node.annotations, node.checks, node.encoding, node.context)

const arrays = (node: SchemaAST.Arrays, elements: ReadonlyArray<AST>, rest: ReadonlyArray<AST>) =>
  new Arrays(node.isMutable, elements, rest, node.annotations, node.checks, node.encoding, node.context)

const union = (node: SchemaAST.Union, types: ReadonlyArray<AST>) =>
  new Union(types, node.options, node.annotations, node.checks, node.encoding, node.context)

/** Returns a copy of a declared type or a class with other type parameters. */
const declaration = (node: SchemaAST.Declaration, parameters: ReadonlyArray<AST>) => {
  const [link] = node.encoding ?? []
  const index = link === undefined ? -1 : node.typeParameters.indexOf(link.to)
  const from = parameters[index]
  const encoding = link === undefined || from === undefined ? undefined : ([copyOf(link, from)] as const)
  return new SchemaAST.Declaration(parameters, node.run, node.annotations, node.checks, encoding, node.context)
}

const copyOf = (link: SchemaAST.Link, to: AST) => new SchemaAST.Link(to, link.transformation)

const optional = (node: AST): AST => Schema.optionalKey(Schema.make(node)).ast

/** Rewrites the type of a field, and keeps whether the field may be absent. */
const keepingOptionality = (type: AST, inner: Rewrite): AST | undefined => {
  const rewritten = inner(type)
  if (rewritten === undefined) return undefined
  return SchemaAST.isOptional(type) && !SchemaAST.isOptional(rewritten) ? optional(rewritten) : rewritten
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
      case "Declaration": {
        const parameters = SchemaNode.isMadeOfParameters(node) ? replaceAll(node.typeParameters) : node.typeParameters
        return parameters === node.typeParameters ? node : declaration(node, parameters)
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
  const isPlain = node._tag === "Union" && node.checks === undefined && node.encoding === undefined
  if (isPlain && node.options?.mode !== "oneOf") return union(node, [...node.types, ...more])
  return new Union([required(node), ...more], undefined, undefined, undefined, undefined, node.context)
}

/** Relaxes a node. `first` is the node without earlier changes. */
const relaxed = (
  node: AST,
  first: AST,
  { fault, range, suggestion, values }: Change,
  notation: Notation
): AST | undefined => {
  switch (suggestion._tag) {
    case "nullable":
      return either(node, SchemaAST.null)
    case "optional":
      return optional(node)
    case "wider enum":
      return either(node, ...suggestion.values.map((value) => EnumLiteral.of(first, value)))
    case "wider type": {
      const type =
        fault.form === undefined ? ofType(suggestion.type, undefined) : ofForm(fault.form, first, values, notation)
      return type === undefined ? undefined : either(node, type)
    }
    case "wider bound":
      return movedBound(node, fault, range)
    default:
      return undefined
  }
}
