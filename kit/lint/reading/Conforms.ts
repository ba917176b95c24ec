/** Whether a value is one of those that a schema allows, as far as its keywords are plain; where they are not, it counts as allowed. */
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { hasType } from "effect-toolguard/internal/domain/schema/json/Types"
import type { Shape } from "./Shapes.ts"

/** Whether there is only one value that a place may hold. */
export const isFixed = (shapes: ReadonlyArray<Shape>): boolean =>
  shapes.length > 0 && shapes.every(({ schema }) => Object.hasOwn(schema, "const"))

/** Whether one of the alternatives takes the value. */
export const conforms = (value: unknown, shapes: ReadonlyArray<Shape>): boolean =>
  shapes.length === 0 ||
  shapes.some((shape) => (shape.type === "any" || hasType(value, shape.type)) && fits(value, shape))

const equal = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const number = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise)

const fits = (value: unknown, { schema }: Shape): boolean => {
  const {
    enum: values,
    const: only,
    exclusiveMaximum,
    exclusiveMinimum,
    maximum,
    minimum,
    maxLength,
    minLength
  } = schema
  if (Array.isArray(values) && !values.some((each) => equal(each, value))) return false
  if (only !== undefined && !equal(only, value)) return false
  if (typeof value === "number") {
    return (
      value <= number(maximum, Infinity) &&
      value >= number(minimum, -Infinity) &&
      value < number(exclusiveMaximum, Infinity) &&
      value > number(exclusiveMinimum, -Infinity)
    )
  }
  if (typeof value === "string") {
    const length = [...value].length
    return length <= number(maxLength, Infinity) && length >= number(minLength, 0)
  }
  if (Array.isArray(value)) {
    return value.length <= number(schema["maxItems"], Infinity) && value.length >= number(schema["minItems"], 0)
  }
  return (
    !isJsonObject(value) ||
    !Array.isArray(schema["required"]) ||
    schema["required"].every((name) => String(name) in value)
  )
}
