/** Reports a name that providers refuse. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { overTool } from "./Rule.ts"
import { snakeCase } from "#kit/lint/reading/EnglishWords"

/** Matches names that OpenAI and Anthropic accept. */
const provider = /^[A-Za-z0-9_-]{1,64}$/u
/** Matches names that MCP accepts. Hosts rename tools whose names their provider refuses. */
const mcp = /^[A-Za-z0-9_.-]{1,128}$/u

export const nameInvalid = overTool(
  {
    id: "name-invalid",
    category: "naming",
    step: 1,
    severity: "error",
    title: "The name has 1 to 64 letters, digits, `_` and `-`.",
    why: "Model providers refuse a whole request if one tool has an invalid name, so no tool of the list can be called. Lists of MCP servers may use dots and 128 characters, which MCP allows.",
    example: {
      bad: `{ "name": "orders.search", "description": "Searches orders.", "parameters": { "type": "object" } }`,
      good: `{ "name": "search_orders", "description": "Searches orders.", "parameters": { "type": "object" } }`
    }
  },
  ({ tool: { at, name, style } }) => {
    if ((style === "mcp" ? mcp : provider).test(name)) return []
    const better = snakeCase(name)
      .replaceAll(/[^a-z0-9_]/gu, "")
      .slice(0, 64)
    const wrong =
      name.length > 64 && provider.test(name.slice(0, 64))
        ? `it has ${name.length} characters, and at most 64 are allowed`
        : "only 1 to 64 letters, digits, _ and - are allowed"
    const advice = provider.test(better) ? `; write ${better}` : ""
    return [
      {
        at: at.name,
        message: `Providers refuse the name ${cut(shown(name), 80)}: ${wrong}${advice}.`
      }
    ]
  }
)
