/** An id as a column holds it: PostgreSQL refuses U+0000 and makes all lone surrogates one, where JSON escapes them. */
export const idText = (id: string): string => JSON.stringify(id).slice(1, -1)

export const idOf = (text: string): string => String(JSON.parse(`"${text}"`))
