/** A name that providers refuse. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { overTool } from "./Rule.ts"
import { snakeCase } from "#kit/lint/reading/EnglishWords"

/** What OpenAI and Anthropic take. */
const provider = /^[A-Za-z0-9_-]{1,64}$/u
/** What MCP takes; its hosts rename what their provider refuses. */
const mcp = /^[A-Za-z0-9_.-]{1,128}$/u

export const nameInvalid = overTool(
  {
    id: "name-invalid",
    category: "naming",
    severity: "error",
    title: "The name has 1 to 64 letters, digits, `_` and `-`.",
    why: "Model providers refuse every request that lists a tool with another name, so that no tool of the list can be called. In lists of MCP servers dots and 128 characters pass, as MCP allows them.",
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
      name.length > 64 && provider.test(name.slice(0, 64)) ? `has ${name.length} characters` : "holds other characters"
    const advice = provider.test(better) ? `; write ${better}` : ""
    return [
      {
        at: at.name,
        message: `A provider refuses the name ${cut(shown(name), 80)}: it ${wrong} than the 64 letters, digits, _ and - that are allowed${advice}.`
      }
    ]
  }
)
