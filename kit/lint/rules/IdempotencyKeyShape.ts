/** Reports an idempotency key that is required, or that may be too short. */
import { isIdempotencyKey } from "#kit/lint/reading/IdempotencyKeyField"
import { overField } from "./Rule.ts"
import type { Fault } from "#kit/lint/reading/Subject"

const advice = 'add "minLength": '

/** Returns the minimum length that a message of this rule asks for, or `undefined` if it asks for something else. */
export const minLengthIn = (message: string): number | undefined => {
  const at = message.lastIndexOf(advice)
  return at < 0 ? undefined : Number.parseInt(message.slice(at + advice.length), 10)
}

export const idempotencyKeyShape = overField(
  {
    id: "idempotency-key-shape",
    category: "safety",
    step: 9,
    severity: "warning",
    title: "`idempotency_key` is optional and has at least 16 characters.",
    why: "If the key is required, the model invents one for each call, so a repeated call has a different key and repeats the action. Short keys (`1`, `order`) collide: a second order is mistaken for the first and never made.",
    options: { minLength: 16 },
    isFixable: true,
    example: {
      bad: `{
  "name": "create_order",
  "description": "Creates an order.",
  "parameters": {
    "type": "object",
    "properties": { "idempotency_key": { "type": "string" } },
    "required": ["idempotency_key"]
  }
}`,
      good: `{
  "name": "create_order",
  "description": "Creates an order.",
  "parameters": {
    "type": "object",
    "properties": { "idempotency_key": { "type": "string", "minLength": 16 } },
    "required": []
  }
}`
    },
    strict: {
      title: "`minLength` states the minimum length of the key. A pattern or a format is not enough.",
      bad: `{
  "name": "create_order",
  "description": "Creates an order.",
  "parameters": { "type": "object", "properties": { "idempotency_key": { "type": "string", "pattern": "^[a-z]{16}$" } } }
}`,
      good: `{
  "name": "create_order",
  "description": "Creates an order.",
  "parameters": {
    "type": "object",
    "properties": { "idempotency_key": { "type": "string", "pattern": "^[a-z]{16}$", "minLength": 16 } }
  }
}`
    }
  },
  (field, _, { isStrict, options: { minLength: least = 0 } }) => {
    if (field.role !== "property" || !isIdempotencyKey(field)) return undefined
    const texts = field.shapes.filter(({ type }) => type === "string")
    const isShort = texts.some(({ schema }) => {
      const { minLength } = schema
      const isLong = typeof minLength === "number" && minLength >= least
      return !isLong && (isStrict || !["pattern", "format", "enum", "const"].some((keyword) => keyword in schema))
    })
    const faults: Array<Fault> = []
    if (field.isRequired)
      faults.push({
        at: field.pointer,
        message: `\`${field.path}\` is required, so the model invents one; make it optional.`
      })
    if (isShort)
      faults.push({
        at: field.pointer,
        message: `\`${field.path}\` may be shorter than ${least} characters; ${advice}${least}.`
      })
    return faults
  }
)
