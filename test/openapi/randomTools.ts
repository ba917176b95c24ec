/** Generates tools with random fields, results, access and keys of every kind that a contract can advertise. */
import { ContractError } from "#domain/schema/Contract"
import * as SeededRandom from "#kit/fuzz/cases/SeededRandom"
import { Schema } from "effect"
import { define, type Tool } from "../pipeline/support.ts"
import { choices, containers, keys, numbers, texts } from "../support/fieldSchemas.ts"

const fields: ReadonlyArray<unknown> = [choices, containers, keys, numbers, texts].flatMap((group) =>
  Object.values(group)
)
const results: ReadonlyArray<unknown> = [choices, containers, numbers, texts].flatMap((group) =>
  Object.values<unknown>(group)
)

/** Returns a tool whose random fields, result, access and idempotency are derived from a number. */
const toolOf = (number: number): Tool => {
  const { below, chance, pick } = SeededRandom.choices(1_109, number)
  const access = pick(["read", "write", "destructive"])
  const names = Array.from({ length: below(5) }, (_, index) =>
    pick([`f${index}`, `field_${index}`, `F-${index}`, `a.${index}`])
  )
  const field = () => (chance(0.3) ? Schema.optionalKey(pick(fields) as Schema.Top) : pick(fields)) as Schema.Top
  const result = pick(results) as Schema.Top
  return define(pick([`tool_${number}`, `tool${number}`]), {
    access,
    description: pick(["Does it. Writes and reads.", 'Line one.\nLine two: «quoted», "more".']),
    parameters: Schema.Struct(Object.fromEntries(names.map((name) => [name, field()]))),
    success: pick([result, Schema.Struct({ r: result }), Schema.Array(result)]),
    ...(access === "read" ? {} : { idempotency: pick(["derived", "key", "none"]) }),
    ...(chance(0.2) ? { critical: true } : {})
  })
}

/** Returns `count` tools, skipping definitions that cannot be advertised. */
export const toolsOf = (count: number): ReadonlyArray<Tool> => {
  const tools: Array<Tool> = []
  for (let number = 0; tools.length < count; number++) {
    try {
      tools.push(toolOf(number))
    } catch (error) {
      if (!(error instanceof ContractError)) throw error
    }
  }
  return tools
}
