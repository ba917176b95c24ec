/**
 * Reads states that say that the action of a write failed: `"status": "rejected"`, `"trade_state": "PAYERROR"`,
 * `"provisioningState": "Failed"`.
 *
 * **Details**
 *
 * - The purpose of the tool decides: `rejected` is not a failure of `reject_po`.
 * - A state can be one word that ends with a failure: `TXNFAILURE`. `NOERROR` denies it.
 * - The state of something other than the object of the tool is data in the answer of a tool that changes an entity:
 *   `{"id": "o-1", "paymentStatus": "DECLINED"}` of `update_order`. In the answer of a tool that creates something or
 *   pays, the state says how the action ended.
 */
import { actionOf, isNameOf, type ToolAction, verbOfParticiple } from "#domain/text/ToolAction"
import { meantBy, stemOf } from "#domain/text/ToolName"
import { wordsOf } from "./FieldWords.ts"
import { plain } from "#domain/answers/Payload"
import { isPurpose } from "#domain/answers/ReportedSuccess"

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/** Fields with the state of a thing, or with the outcome of the action. */
const states =
  /^(?:\w{0,24}(?:status|state|phase)|result|outcome|decision|verdict|resolution|ack|estado|resultado|situação|zustand|ergebnis|statut|stato|esito|статус|результат|状态|狀態|结果|結果|状態|상태|결과)$/

/** True if a field has the state of a thing, or the outcome of the action. */
export const isStatus = (name: string): boolean => states.test(plain(name))

/** Words of a failure or a refusal, in the states of every thing. */
const failing = set(`
  fail failed failure failing error errored faulted unsuccessful undelivered undeliverable bounced rejected declined denied
  refused disapproved vetoed forbidden unauthorized unauthorised invalid insufficient timeout unpaid not nok ng ko rollback rolledback
`)

/** Words of other languages in the Latin alphabet for a failure or a refusal. */
const foreignFailing =
  /^(?:fallid[oa]|falló|rechazad[oa]|denegad[oa]|fehlgeschlagen|gescheitert|abgelehnt|verweigert|échec|echec|échouée?|refusée?|rejetée?|fallit[oa]|rifiutat[oa]|respint[oa]|falhou|recusad[oa]|rejeitad[oa]|negad[oa]|mislukt|geweigerd|odrzucon[oey]|reddedildi|başarısız)$/u

/** Words in other alphabets for a failure or a refusal. */
const otherAlphabets =
  /失败|失敗|错误|錯誤|异常|異常|拒绝|拒絕|驳回|駁回|却下|エラー|실패|오류|거부|ошибк|отклон[её]н|отказано/u

/** True if a state says in another language that the action failed. A refusal is the purpose of tools that reject. */
const failsInWords = (state: string, tool: string): boolean =>
  !meantBy(tool).has("reject") &&
  (otherAlphabets.test(state) ||
    (state.toLowerCase().match(/\p{L}+/gu) ?? []).some((word) => foreignFailing.test(word)))

/** States that a thing can have for a long time. They count only in an answer that contains nothing else. */
const lasting = set(`
  cancelled canceled aborted expired blocked suspended locked voided skipped ignored noop unchanged terminated stopped
  disabled conflict duplicate unavailable
`)

/** Matches a word that ends with a failure, and its two parts. */
const fused =
  /^(?!(?:no|non|not|un|zero|without)(?:err|fail|rej|decl|ref|den))([a-z]{2,20}?)(error|errored|fail|failed|failure|rejected|declined|refused|denied|timeout)$/

/** Returns the words of a state: `CREATE_FAILED` has two, and so does `PAYERROR`. */
const partsOf = (state: string): ReadonlyArray<string> =>
  state
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]/)
    .filter((word) => word !== "")
    .flatMap((word) => (failing.has(word) ? [word] : (fused.exec(word)?.slice(1) ?? [word])))

/** True if a word denies the action of a tool: `NOTPAY` of `pay_order`. */
const isNegation = (word: string, { verbs }: ToolAction): boolean => {
  const rest = word.startsWith("not") ? word.slice(3) : ""
  return verbs.has(verbOfParticiple(rest) ?? rest) || /^(?:found|allowed|permitted|accepted|supported)$/.test(rest)
}

const longestState = 40

/** The answer that has a state. */
interface Holder {
  readonly isEntity: boolean
  /** True if the answer contains only statements about itself. */
  readonly isBare: boolean
}

/** True if a state says that the action of a tool failed. `name` is the field with the state. */
export const isFailedState = (name: string, state: string, holder: Holder, tool: string): boolean => {
  if (state.length > longestState || !isStatus(name)) return false
  const words = partsOf(state)
  const action = actionOf(tool)
  if (words.length > 4 || isPurpose(words, tool) || (holder.isEntity && isOfOther(name, action))) return false
  if (failsInWords(state, tool)) return true
  return words.some(
    (word) =>
      (failing.has(word) && !action.names.has(word)) || (lasting.has(word) && holder.isBare) || isNegation(word, action)
  )
}

/** True if a field has the state of something other than the object of a tool that changes an entity. */
const isOfOther = (name: string, action: ToolAction): boolean => {
  const things = wordsOf(name).filter((word) => !/^(?:status|state|phase)$/.test(word))
  return (
    action.changes &&
    things.length > 0 &&
    !things.some((word) => action.objects.has(stemOf(word)) || isNameOf(action, word))
  )
}
