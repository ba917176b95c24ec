/** Converts a listed tool. If the conversion throws, the result is a sentence with the tool's name and the reason. */
import * as Result from "effect/Result"
import { excerptOf } from "#src/mcp/wire/McpError"

/** The maximum length of a reason, in characters. A reason that names a setting ends with its remedy. */
const maxReason = 400

export const attempt = <A>(tool: string, make: () => A): Result.Result<A, string> =>
  Result.try({
    try: make,
    catch: (error) => {
      const why = error instanceof Error ? excerptOf(error.message, maxReason) : "it cannot be read"
      return `The tool ${excerptOf(tool)} is left out, because it cannot be guarded: ${why}`
    }
  })
