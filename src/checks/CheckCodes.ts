/** The codes that ready-made checks return, which no declared refusal may have. */
export const checkCodes: ReadonlySet<string> = new Set([
  "other_entity",
  "wrong_unit",
  "stale_result",
  "empty_result",
  "empty_first_page",
  "hidden_failure",
  "placeholder_page"
])
