/**
 * Reads the names of fields that report on the action of a tool: `refunded`, `wasCreated`, `emails_sent`,
 * `failedCount`.
 *
 * A name reports on the action of the tool only if its other words are auxiliaries, words for a number, words for any
 * item, or the object of the tool: `invoiceSent` of `send_invoice` does, and `reminderSent` does not.
 */
import { keepNames } from "#domain/text/Memo"
import { verbOfParticiple, type ToolAction } from "#domain/text/ToolAction"
import { stemOf } from "#domain/text/ToolName"

const longestName = 40

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/** Words that change nothing about what a name reports. */
const neutral = set(`
  is was were are be been being has have had did got get count counts counter num number nr no of n the all any total
  successfully actually really row rows record records item items entry entries document documents doc docs object objects
  result results element elements operation operations request requests
`)

/** Words for failed items. */
const failed = set(`
  failed failure failures fail fails error errors errored rejected rejections refused declined denied undelivered
  undeliverable bounced unsuccessful invalid ko nok
  fehlgeschlagen fehlgeschlagene fehlerhaft fehlerhafte fehler abgelehnt fallidos fallidas errores rechazados rechazadas
  échecs echecs échoués echoues erreurs rejetés rejetes falhas falhos erros rejeitados falliti fallite errori
  ошибки ошибок неудачно 失败 失敗 エラー 실패
`)

/** Words for the number of all items. */
const all = set("attempted requested processed received expected submitted size")

/** Participles for what a tool found, and for items that were neither done nor failed. */
const untouched = set(`
  skipped ignored unchanged scanned matched checked queried existing remaining duplicated untouched unmodified unaffected
  elapsed estimated fixed corrected found detected limited needed required used allowed
`)

/** Words for a success. */
const succeeded = set(`
  success successes succeeded successful succeed ok ready done
  erfolgreich erfolgreiche erfolge gelungen exitosos exitosas éxitos exitos enviados enviadas réussis reussis succès succes
  envoyés envoyes sucessos enviadas riusciti riuscite inviati gesendet успешно 成功 성공
`)

/** Returns the words of a field's name in lower case. */
export const wordsOf = keepNames((name): ReadonlyArray<string> =>
  name.length > longestName
    ? []
    : name
        .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
        .toLowerCase()
        .split(/[^\p{L}]/u)
        .filter((word) => word !== "")
)

/** What a field reports on the items of an action. */
export type FieldReport = "own" | "done" | "affected" | "succeeded" | "failed" | "all"

/**
 * Returns what the name of a field reports on the action of a tool; `undefined` if it reports nothing on it. `item` is
 * the word for the items of the action, if it is not in the tool's name: `steps` of `steps_failed`.
 */
export const reportedBy = (name: string, action: ToolAction, item?: string): FieldReport | undefined => {
  const words = wordsOf(name)
  const said = words.filter((word) => !neutral.has(word))
  if (said.length === 0) return words.includes("total") || words.includes("all") ? "all" : undefined
  const about = said.find((word) => meaningOf(word, action) !== undefined)
  if (about === undefined) return undefined
  const isOwn = said.every((word) => word === about || word === item || action.names.has(stemOf(word)))
  return isOwn ? meaningOf(about, action) : undefined
}

const meaningOf = (word: string, action: ToolAction): FieldReport | undefined => {
  const verb = verbOfParticiple(word)
  if (verb !== undefined && action.verbs.has(verb)) return "own"
  // a statement that defines something, such as a table, also affects no rows
  if (word === "affected") return action.selects ? "affected" : undefined
  if (failed.has(word)) return "failed"
  if (all.has(word)) return "all"
  if (succeeded.has(word)) return "succeeded"
  return verb === undefined || untouched.has(word) ? undefined : "done"
}
