/** The paths of tools: `/tools/NAME`. */

/** The prefix of the paths of all tools. */
export const folder = "/tools/"

/** Returns the path of a tool. */
export const pathOf = (name: string): `/${string}` => `${folder}${encodeURIComponent(name)}`
