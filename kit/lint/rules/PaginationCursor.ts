/** Reports a tool that is paged by something other than a cursor. */
import { pagingOf } from "#kit/lint/reading/Paging"
import { overTool } from "./Rule.ts"

export const paginationCursor = overTool(
  {
    id: "pagination-cursor",
    category: "paging",
    severity: "info",
    title: "Paging uses a `cursor` parameter and returns `next_cursor`.",
    why: "A model has to count page numbers or offsets, which shift when a row is added between two calls. A cursor only has to be copied. If all tools use the same name, the model copies the cursor to the right field. With `nextPageToken` in one tool and `cursor` in the next, the model confuses the fields.",
    example: {
      bad: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": {
    "type": "object",
    "properties": {
      "offset": { "type": "integer", "description": "Number of orders to skip." },
      "limit": { "type": "integer" }
    }
  }
}`,
      good: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": {
    "type": "object",
    "properties": {
      "cursor": { "type": "string", "description": "next_cursor of the previous page." },
      "limit": { "type": "integer" }
    }
  }
}`
    }
  },
  ({ fields }) => {
    const paging = pagingOf(fields)
    if (paging === undefined || paging.field.name === "cursor") return []
    const what =
      paging.kind === "cursor"
        ? `names its cursor \`${paging.field.name}\`; name it cursor, and next_cursor in the result`
        : `is paged by \`${paging.field.name}\`; accept a cursor, and return next_cursor`
    return [{ at: paging.field.pointer, message: `The tool ${what}.` }]
  }
)
