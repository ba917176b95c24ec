/** Reports paging parameters, and fields of results, that the tools of one list spell differently. */
import { cursorName, cursorsOf, pagingOf, spellingOf } from "#kit/lint/reading/Paging"
import { overListing } from "./Rule.ts"
import type { FoundProblem, Subject } from "#kit/lint/reading/Subject"

export const paginationSpelling = overListing(
  {
    id: "pagination-spelling",
    category: "paging",
    step: 11,
    severity: "warning",
    title: "A list uses one spelling for paging, in parameters and results.",
    why: "A model learns the names of paging parameters from the first tools that it calls. If other tools use `pageNumber`, `page_no` or `page`, it sends a field that does not exist, and receives the first page again. A result with `nextPage` does not say that its value belongs in the parameter `cursor`.",
    example: {
      bad: `[
  {
    "name": "list_orders",
    "description": "Lists orders.",
    "parameters": { "type": "object", "properties": { "page": { "type": "integer" } } }
  },
  {
    "name": "list_invoices",
    "description": "Lists invoices.",
    "parameters": { "type": "object", "properties": { "pageNumber": { "type": "integer" } } }
  }
]`,
      good: `[
  {
    "name": "list_orders",
    "description": "Lists orders.",
    "parameters": { "type": "object", "properties": { "page": { "type": "integer" } } }
  },
  {
    "name": "list_invoices",
    "description": "Lists invoices.",
    "parameters": { "type": "object", "properties": { "page": { "type": "integer" } } }
  }
]`
    }
  },
  ({ subjects }) => {
    const paged = subjects.flatMap(({ fields, tool }) => {
      const paging = pagingOf(fields)
      return paging === undefined ? [] : [{ tool, ...paging }]
    })
    const others = (["page", "offset"] as const).flatMap((kind) => {
      const same = paged.filter((each) => each.kind === kind)
      const counts = new Map<string, number>()
      for (const { field } of same) counts.set(field.name, (counts.get(field.name) ?? 0) + 1)
      const [usual] = [...counts].sort(([, many], [, more]) => more - many)
      if (usual === undefined || counts.size === 1) return []
      return same
        .filter(({ field }) => field.name !== usual[0])
        .map(({ field, tool }): FoundProblem => ({
          tool,
          pointer: field.pointer,
          message: `\`${field.name}\` is spelt \`${usual[0]}\` in ${usual[1]} other tool${usual[1] === 1 ? "" : "s"} of the list; use one spelling.`
        }))
    })
    return [...mixedCursors(subjects), ...others]
  }
)

/** The spelling that replaces the others if a list mixes several. */
const preferred = "cursor"

/** Reports cursors that the parameters and results of a list spell differently. */
const mixedCursors = (subjects: ReadonlyArray<Subject>): ReadonlyArray<FoundProblem> => {
  const all = subjects.flatMap((subject) => cursorsOf(subject).map((cursor) => ({ tool: subject.tool, ...cursor })))
  const spellings = [...new Set(all.map(spellingOf))]
  if (spellings.length < 2) return []
  const counted = (spelling: string) => all.filter((cursor) => spellingOf(cursor) === spelling).length
  const usual = spellings.includes(preferred)
    ? preferred
    : (spellings.toSorted((a, b) => counted(b) - counted(a))[0] ?? preferred)
  const example = all.find((cursor) => spellingOf(cursor) === usual)
  return all
    .filter((cursor) => spellingOf(cursor) !== usual)
    .map((cursor): FoundProblem => {
      const place = cursor.tool === example?.tool ? "the same tool" : "the list"
      const message = `\`${cursor.field.name}\` is mixed with \`${example?.field.name}\` in ${place}; write ${cursorName(cursor)} everywhere.`
      return { tool: cursor.tool, pointer: cursor.field.pointer, message }
    })
}
