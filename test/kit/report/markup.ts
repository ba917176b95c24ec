/** Finds the tags of a report page with a regular expression, so that tests compare tags instead of texts. */

/** A tag of a page. */
export interface Tag {
  readonly name: string
  readonly isEnd: boolean
  readonly attributes: ReadonlyMap<string, string>
}

const tag = /<(\/?)([a-z][a-z0-9]*)((?:\s+[^\s"'<>=/]+(?:="[^"]*")?)*)\s*\/?>/gi
const attribute = /([^\s"'<>=/]+)(?:="([^"]*)")?/g

/** Returns the page without the text of its own style and script. */
export const bare = (page: string): string =>
  page.replace(/<style>[^]*?<\/style>/, "<style></style>").replace(/<script>[^]*?<\/script>/, "<script></script>")

/** Returns all tags, in order. */
export const tagsOf = (page: string): ReadonlyArray<Tag> =>
  [...bare(page).matchAll(tag)].map(([, end, name = "", rest = ""]) => ({
    name,
    isEnd: end === "/",
    attributes: new Map([...rest.matchAll(attribute)].map(([, key = "", value = ""]) => [key, value]))
  }))

/** Returns the page without its tags: only texts, which must not contain `<`. */
export const textOf = (page: string): string => bare(page).replace("<!doctype html>", "").replaceAll(tag, " ")

const entities = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&#96;": "`", "&amp;": "&" }

/** Returns the visible text of a page. */
export const visibleTextOf = (page: string): string => {
  let text = textOf(page.replaceAll("<wbr>", "")).replaceAll(/\s+/g, " ")
  for (const [entity, character] of Object.entries(entities)) text = text.replaceAll(entity, character)
  return text
}

const empty = new Set(["meta", "link", "input", "wbr", "rect", "br"])

/** Returns the tags that are opened but not closed, or closed but not open. */
export const unbalanced = (tags: ReadonlyArray<Tag>): ReadonlyArray<string> => {
  const open: Array<string> = []
  const faults: Array<string> = []
  for (const { isEnd, name } of tags) {
    if (empty.has(name)) continue
    if (!isEnd) open.push(name)
    else if (open.pop() !== name) faults.push(`</${name}>`)
  }
  return [...faults, ...open]
}
