/** Reports a name that is not snake_case. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { overTool } from "./Rule.ts"
import { snakeCase } from "#kit/lint/reading/EnglishWords"

const snake = /^[a-z0-9]+(?:_[a-z0-9]+)*$/u

export const nameSnakeCase = overTool(
  {
    id: "name-snake-case",
    category: "naming",
    step: 1,
    severity: "warning",
    title: "The name is in snake_case.",
    why: "A model writes names from memory. If some names have capitals, hyphens or dots and others do not, the model mixes the names up and calls tools that do not exist.",
    example: {
      bad: `{ "name": "searchOrders", "description": "Searches orders.", "parameters": { "type": "object" } }`,
      good: `{ "name": "search_orders", "description": "Searches orders.", "parameters": { "type": "object" } }`
    }
  },
  ({ tool: { at, name } }) => {
    if (snake.test(name)) return []
    const better = snakeCase(name)
    const advice = snake.test(better) ? `; write ${cut(better, 80)}` : ""
    return [{ at: at.name, message: `The name ${cut(shown(name), 80)} is not snake_case${advice}.` }]
  }
)
