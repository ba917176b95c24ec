/**
 * Checks whether a value conforms to the simple keywords of a schema, such as `maximum` or `enum`. Ignores other
 * keywords.
 */
import { assertions } from "#kit/schema/Assertions"
import { hasType } from "effect-toolguard/internal/domain/schema/json/Types"
import type { Shape } from "./Shapes.ts"

/** True if every alternative has a `const`. */
export const isFixed = (shapes: ReadonlyArray<Shape>): boolean =>
  shapes.length > 0 && shapes.every(({ schema }) => Object.hasOwn(schema, "const"))

/** True if one of the alternatives allows the value, or if there are no alternatives. */
export const conforms = (value: unknown, shapes: ReadonlyArray<Shape>): boolean =>
  shapes.length === 0 ||
  shapes.some((shape) => (shape.type === "any" || hasType(value, shape.type)) && fits(value, shape))

const plain = [
  "const",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "maximum",
  "minimum",
  "maxLength",
  "minLength",
  "maxItems",
  "minItems",
  "required"
] as const

const fits = (value: unknown, { schema }: Shape): boolean =>
  (!Array.isArray(schema["enum"]) || assertions.enum(schema["enum"], value)) &&
  plain.every((keyword) => schema[keyword] === undefined || assertions[keyword](schema[keyword], value))
