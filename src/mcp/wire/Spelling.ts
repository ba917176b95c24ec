/**
 * Finds names of fields and methods that some readers mistake for others, because they ignore case or spaces, or treat
 * similar characters as equal.
 *
 * Such a reader uses a `Method` field although the guard checked only `method`. A message that passes must have the
 * same meaning for all readers.
 */

const fold = (name: string): string => name.normalize("NFKC").toLowerCase()

/** Returns the first name that could be mistaken for a known one. */
export const variantOf = (names: ReadonlyArray<string>, known: ReadonlySet<string>): string | undefined =>
  names.find((name) => !known.has(name) && known.has(fold(name)))

/** The methods that clients send as requests. None of them is a notification. */
const requests: ReadonlySet<string> = new Set([
  "completion/complete",
  "initialize",
  "logging/setlevel",
  "ping",
  "prompts/get",
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/templates/list",
  "resources/unsubscribe",
  "server/discover",
  "subscriptions/listen",
  "tasks/cancel",
  "tasks/get",
  "tasks/list",
  "tasks/result",
  "tasks/update",
  "tools/call",
  "tools/list"
])

/** The methods whose name contains upper-case letters. */
const spelled: Readonly<Record<string, string>> = { "logging/setlevel": "logging/setLevel" }

/** Returns a method as a tolerant reader sees it: up to a NUL, without spaces and invisible characters, in lower case. */
const foldMethod = (method: string): string => fold((method.split("\0")[0] ?? "").replaceAll(/[\s\p{C}]/gu, ""))

/** Returns the request method that a reader may take a method for, or undefined. */
export const requestOf = (method: string): string | undefined => {
  const folded = foldMethod(method)
  return requests.has(folded) ? (spelled[folded] ?? folded) : undefined
}
