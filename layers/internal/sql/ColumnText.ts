/** Encodes the texts of the columns by which call records are found. */

/**
 * Encodes a text for a column of at most 128 characters: a model may call a tool by a name of any length and with any
 * characters. Different texts can have the same code.
 */
export const columnText = (text: string): string => text.slice(0, 128).replaceAll("\u0000", "\ufffd").toWellFormed()
