/**
 * Encodes ids for a column with JSON's escapes, because PostgreSQL refuses U+0000 and stores all lone surrogates as one
 * character.
 */

export const encode = (id: string): string => JSON.stringify(id).slice(1, -1)

export const decode = (text: string): string => String(JSON.parse(`"${text}"`))
