/** The path of a tool: `/tools/NAME`. */

/** The path of all tools. */
export const folder = "/tools/"

/** The path of a tool. */
export const pathOf = (name: string): `/${string}` => `${folder}${encodeURIComponent(name)}`
