/** Where a tool is called: `/tools/NAME`. */

/** The folder of all tools. */
export const folder = "/tools/"

/** The path of a tool. */
export const pathOf = (name: string): `/${string}` => `${folder}${encodeURIComponent(name)}`
