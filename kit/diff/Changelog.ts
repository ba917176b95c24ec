/**
 * Reads and writes the changelog, a Markdown file that accepts breaking changes. Each entry has the id of a change and
 * a reason.
 *
 *     - `1a2b3c4d` **get_order**: parameters.status no longer accepts "late".
 *       Reason: Late orders have been "delayed" since spring.
 *
 * An entry without a reason accepts nothing. When the lock contains a change, the change's entry is marked `locked`. If
 * the change is made again later, it needs a new entry.
 */
import { type Change, line } from "./Change.ts"

/** An entry of the changelog. Lines count from 1. */
interface Entry {
  readonly id: string
  readonly line: number
  /** Empty if the entry has no reason. */
  readonly reason: string
}

const entryStart = /^\s*[-*]\s+`([\da-f]{8})`/

/** Reads the entries of a changelog and ignores all other text. */
export const read = (text: string): ReadonlyArray<Entry> => {
  const lines = text.split(/\r?\n/)
  return lines.flatMap((first, index) => {
    const id = entryStart.exec(first)?.[1]
    if (id === undefined) return []
    const rest = lines.slice(index + 1)
    const end = rest.findIndex((each) => /^\s*[-*]\s|^#|^\s*$/.test(each))
    const entry = [first, ...(end < 0 ? rest : rest.slice(0, end))].join(" ")
    return [{ id, line: index + 1, reason: /\bReason:\s*(\S.*)$/.exec(entry)?.[1]?.trim() ?? "" }]
  })
}

/** Divides the breaking changes into changes that an entry accepts, and open changes. */
export const partition = (
  changes: ReadonlyArray<Change>,
  entries: ReadonlyArray<Entry>
): { readonly accepted: ReadonlyArray<Change>; readonly open: ReadonlyArray<Change> } => {
  const reasons = new Set(entries.flatMap(({ id, reason }) => (reason === "" ? [] : [id])))
  const breaking = changes.filter(({ weight }) => weight === "breaking")
  return {
    accepted: breaking.filter(({ id }) => reasons.has(id)),
    open: breaking.filter(({ id }) => !reasons.has(id))
  }
}

const heading = `# Tool changes

Accepted breaking changes, read by \`toolguard diff\`. Each entry has an id and a reason.
`

/** Adds entries for newly accepted changes to the changelog. */
export const accept = (text: string, changes: ReadonlyArray<Change>, reason: string): string => {
  const before = text.trim() === "" ? heading : `${text.trimEnd()}\n`
  const entries = changes.map(
    (change) =>
      `- \`${change.id}\` **${change.tool}**: ${line(change)}.\n  Reason: ${reason.replaceAll(/\s+/g, " ").trim()}\n`
  )
  return `${before}\n${entries.join("")}`
}

/** Marks the entries of these changes as `locked`, because the lock now contains the changes. */
export const locked = (text: string, changes: ReadonlyArray<Change>): string => {
  const ids = new Set(changes.map(({ id }) => id))
  return text
    .split("\n")
    .map((each) => (ids.has(entryStart.exec(each)?.[1] ?? "") ? each.replace(/^(\s*[-*]\s+)/, "$1locked ") : each))
    .join("\n")
}
