/** Recognises the form of a value whose type its schema does not expect, such as a number as text. */
import { cut } from "#domain/text/Cut"
import type * as SchemaAST from "effect/SchemaAST"
import { isJsonObject } from "#domain/json/JsonObject"
import { typeName } from "#domain/schema/Expectation"
import { conforms, resolved } from "./FaultPlace.ts"

/** The form of a value of another type. */
export type OtherForm =
  /** Another JSON type: `string`, `number`, `boolean`, `array` or `object`. */
  | { readonly _tag: "Type"; readonly type: string }
  /** A text with a value that conforms: `"12"` instead of `12`. */
  | { readonly _tag: "AsText"; readonly type: "number" | "boolean" }
  /** A list of values that conform. */
  | { readonly _tag: "List" }
  /** One item instead of a list of such items. */
  | { readonly _tag: "Single" }
  /** An object whose only field is a value that conforms. */
  | { readonly _tag: "Wrapped"; readonly name: string }

const numberText = /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,16})?(?:[eE][+-]?\d{1,3})?$/u

/** The pattern of a text that contains a number or a Boolean. */
export const textPattern = { number: numberText, boolean: /^(?:true|false)$/u } as const

const unwrapped = (node: SchemaAST.AST, value: unknown): string | undefined => {
  if (!isJsonObject(value)) return undefined
  const [only, ...more] = Object.entries(value)
  return only !== undefined && more.length === 0 && conforms(node, only[1]) ? only[0] : undefined
}

/** Returns the form of a value that does not conform to a node. */
export const of = (node: SchemaAST.AST, value: unknown): OtherForm => {
  if (typeof value === "string") {
    if (numberText.test(value) && conforms(node, Number(value))) return { _tag: "AsText", type: "number" }
    if (textPattern.boolean.test(value) && conforms(node, value === "true")) return { _tag: "AsText", type: "boolean" }
  }
  if (Array.isArray(value) && value.length > 0 && value.every((item) => conforms(node, item))) return { _tag: "List" }
  const { rest } = ((target): { readonly rest: ReadonlyArray<SchemaAST.AST> } =>
    target._tag === "Arrays" && target.elements.length === 0 ? target : { rest: [] })(resolved(node))
  if (rest[0] !== undefined && conforms(rest[0], value)) return { _tag: "Single" }
  const name = unwrapped(node, value)
  return name === undefined ? { _tag: "Type", type: typeName(value) ?? "anything" } : { _tag: "Wrapped", name }
}

/** The longest name of a field in a description, in characters. A model may send names of any length. */
const longestName = 80

/** Describes a form in a few words. */
export const text = (form: OtherForm): string => {
  switch (form._tag) {
    case "Type":
      return form.type
    case "AsText":
      return `a ${form.type} as text`
    case "List":
      return "a list of such values"
    case "Single":
      return "a single item"
    case "Wrapped":
      return `an object with such a value in its field ${JSON.stringify(cut(form.name, longestName))}`
  }
}
