/** Reports a tool that is paged by something other than a cursor, or whose cursor has another name. */
import { cursorName, cursorsOf, pagingOf } from "#kit/lint/reading/Paging"
import { overTool } from "./Rule.ts"

export const paginationCursor = overTool(
  {
    id: "pagination-cursor",
    category: "paging",
    step: 11,
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
  (subject) => {
    const paging = pagingOf(subject.fields)
    const faults = cursorsOf(subject)
      .filter((cursor) => cursor.field.name !== cursorName(cursor) && cursor.field.name !== "cursor")
      .map((cursor) => {
        const where = cursor.isResult ? "the field of its result" : "its cursor"
        const rest = cursor.isResult ? "" : ", and next_cursor in the result"
        const { name, pointer } = cursor.field
        return { at: pointer, message: `The tool names ${where} \`${name}\`; name it ${cursorName(cursor)}${rest}.` }
      })
    return paging === undefined || paging.kind === "cursor"
      ? faults
      : [
          ...faults,
          {
            at: paging.field.pointer,
            message: `The tool is paged by \`${paging.field.name}\`; accept a cursor, and return next_cursor.`
          }
        ]
  }
)
