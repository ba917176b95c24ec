/** A list that is paged in another way than by a cursor. */
import { pagingOf } from "#kit/lint/reading/Paging"
import { overTool } from "./Rule.ts"

export const paginationCursor = overTool(
  {
    id: "pagination-cursor",
    category: "paging",
    severity: "info",
    title: "Pages are asked for by `cursor`, and the answer gives `next_cursor`.",
    why: "A page number or an offset has to be counted by the model, and shifts when a row is added between two calls. A cursor is copied. One spelling everywhere is copied right: `nextPageToken` in one tool and `cursor` in the next are not.",
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
      "cursor": { "type": "string", "description": "next_cursor of the page before." },
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
        ? `takes its cursor as \`${paging.field.name}\`; call it cursor, and what the answer gives next_cursor`
        : `is paged by \`${paging.field.name}\`; take a cursor, and give next_cursor with the answer`
    return [{ at: paging.field.pointer, message: `The tool ${what}.` }]
  }
)
