/** How an artifact is named to a model: `artifact://` and the 32 hex digits of its id. */

const scheme = "artifact://"

/** The `resource_url` of an artifact. */
export const urlOf = (id: string): string => scheme + id

/** The id in a `resource_url`; a model may send the id alone. Undefined where it is neither. */
export const idOf = (url: string): string | undefined => {
  const id = url.startsWith(scheme) ? url.slice(scheme.length) : url
  return /^[0-9a-f]{32}$/.test(id) ? id : undefined
}

/** Whether an address is that of an artifact. */
export const isLink = (url: string): boolean => url.startsWith(scheme) && idOf(url) !== undefined

/** Whether a text that a model reads holds a link. */
export const isLinked = (text: string): boolean => text.includes(`"resource_url":"${scheme}`)
