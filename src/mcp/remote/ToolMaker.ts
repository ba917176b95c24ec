/** Runs the conversion of a listed tool. If it throws, the effect fails with the tool's name and the reason. */
import * as Effect from "effect/Effect"
import { excerptOf, McpError } from "#src/mcp/wire/McpError"

/** The maximum length of a reason, in characters. A reason that names a setting ends with its remedy. */
const maxReason = 400

export const attempt = <A>(tool: string, make: () => A): Effect.Effect<A, McpError> =>
  Effect.try({
    try: make,
    catch: (error) => {
      const why = error instanceof Error ? excerptOf(error.message, maxReason) : "it cannot be read"
      const place = `tool ${excerptOf(tool)}`
      return new McpError({ reason: "broken_message", message: `The ${place} cannot be guarded: ${why}`, place })
    }
  })
