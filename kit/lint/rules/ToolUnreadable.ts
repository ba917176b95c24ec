/** Reports an entry of the list that is not a tool. */
import { overListing } from "./Rule.ts"

export const toolUnreadable = overListing(
  {
    id: "tool-unreadable",
    category: "file",
    step: 14,
    severity: "error",
    title: "Each entry of the list is a tool.",
    why: "A provider refuses the whole request because of one entry that it cannot read, so none of the tools can be called.",
    example: {
      bad: `[
  { "name": "search_orders", "description": "Searches orders.", "parameters": { "type": "object" } },
  { "description": "Searches customers.", "parameters": { "type": "object" } }
]`,
      good: `[{ "name": "search_orders", "description": "Searches orders.", "parameters": { "type": "object" } }]`
    }
  },
  ({ unreadable }) =>
    unreadable.map(({ pointer, reason }) => ({ tool: undefined, pointer, message: `This is not a tool: ${reason}.` }))
)
