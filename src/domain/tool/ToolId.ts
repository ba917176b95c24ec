/** The rules for the `id` of a tool, which identifies the tool outside the process [2.10]. */

const pattern = /^[\w.:/-]{1,128}$/

/** True if the text can be the id of a tool. The name of a tool is always a valid id. */
export const isValid = (id: string): boolean => pattern.test(id)

/** The rule for valid ids, as the end of a message that begins with the name of the tool. */
export const fault =
  "the `id` of a tool has 1 to 128 letters, digits or the characters _ . : / -, such as production/search."
