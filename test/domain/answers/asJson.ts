/** Returns a value as it reads in JSON, so that it can be compared with a table of expected values. */
export const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))
