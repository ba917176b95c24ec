/** The links under which a model reads artifacts: `artifact://` and the 32 hex digits of the id. */

const scheme = "artifact://"

/** Returns the `resource_url` of an artifact. */
export const urlOf = (id: string): string => scheme + id

/**
 * Returns the id in a `resource_url`. Also accepts an id without the rest of the URL, because models send such ids.
 * Returns `undefined` for any other text.
 */
export const idOf = (url: string): string | undefined => {
  const id = url.startsWith(scheme) ? url.slice(scheme.length) : url
  return /^[0-9a-f]{32}$/.test(id) ? id : undefined
}

/** True if an address is a link to an artifact. */
export const isLink = (url: string): boolean => url.startsWith(scheme) && idOf(url) !== undefined

/** True if an envelope contains a link to an artifact. */
export const isLinked = (text: string): boolean => text.includes(`"resource_url":"${scheme}`)
