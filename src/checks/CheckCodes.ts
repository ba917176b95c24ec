/** The codes of ready-made checks. */

const list = [
  "other_entity",
  "wrong_unit",
  "stale_result",
  "empty_result",
  "empty_first_page",
  "hidden_failure",
  "placeholder_page",
  "stated_garbage"
] as const

/** A code that a ready-made check returns. */
export type CheckCode = (typeof list)[number]

/** The codes that ready-made checks return, which no declared refusal may have. */
export const checkCodes: ReadonlySet<string> = new Set(list)
