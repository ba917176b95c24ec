/**
 * Recognises words with which a tool reports that it did its work: `Order created`, `添加成功`, and for the tool
 * `lock_account` also `Account locked`.
 *
 * A state such as `locked` or `rejected` is the purpose of some tools and a failure of others. The name of the tool
 * decides: `PO_REJECTED` is a success of `reject_po`. A negation, or another word of failures, outweighs all of them.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import { clausesOf, failsOutright } from "./Denial.ts"
import { isSuccess, plain } from "./Payload.ts"
import { deletes, isParticiple, meantBy, namesIn, statesOf, stemOf, verbsOf, wordsOf } from "#domain/text/ToolName"

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/** Words that deny a success, or that occur only in failures. */
const denying = set(`
  not no never nothing none neither nor without cannot cant unable already pending being yet unless too fail fails failed
  failure error errors exception invalid missing insufficient unauthorized unauthorised forbidden unexpected unknown wrong
  unavailable exceeded exceeds limit but however taken conflict conflicts mismatch since meantime meanwhile concurrently
  previously earlier exists exist
`)

/** Words of advice. In the clause of an action they deny it, and after it they concern what follows. */
const advising = set("please must should need needs required requires first only until expected be")

/** States that rule out a success, unless they are the purpose of the tool. */
const states = set("denied rejected declined refused expired aborted locked blocked disabled cancelled canceled")

const foreignDenials =
  /n['’]t\b|\bby (?:another|someone|others?)\b|失败|失敗|错误|錯誤|异常|異常|无法|無法|[不未没沒]|エラー|できません|ません|실패|오류|않|없|(?<!\p{L})(?:nicht|kein\p{L}*|nein|non|pas|não|falh\p{L}*|fehler\p{L}*|échec|errore|erro|ошибк\p{L}*|не)(?!\p{L})|безуспешн/iu

const foreignAdvice = /请|請|ください|(?<!\p{L})(?:bitte|por favor|veuillez)(?!\p{L})/iu

/** Words for a success in languages other than English, and `success` itself. */
const successes = new RegExp(
  [
    /\bsuccess(?:ful(?:ly)?)?\b/u,
    /成功|已(?:创建|建立|添加|新增|保存|更新|提交|发送|發送|完成|下单|支付|预订)|完了/u,
    /(?:登録|作成|追加|保存|更新|送信|予約|注文|完了)(?:を?(?:いた)?しました|されました)|(?:受け付け|承り)(?:ました)/u,
    /성공|완료|(?:등록|저장|추가|생성|수정|전송|접수)(?:되었|했)습니다/u,
    /(?<!\p{L})(?:erfolgreich\p{L}*|correctamente|exitosamente|éxito|succès|sucesso|successo)(?!\p{L})|(?<!\p{L})успешн/u,
    /(?<!\p{L})(?:cread|guardad|enviad|actualizad|registrad|añadid|agregad|completad|realizad|criad|atualizad|adicionad|concluíd|creat|salvat|inviat|aggiornat|aggiunt|completat|registrat)[oaie]s?(?!\p{L})|(?<!\p{L})salv[oa]s?(?!\p{L})/u,
    /(?<!\p{L})(?:créé|enregistré|envoyé|ajouté|effectué|validé)e?s?(?!\p{L})|(?<!\p{L})mise?s? à jour(?!\p{L})/u,
    /(?<!\p{L})(?:angelegt|erstellt|gespeichert|gesendet|versendet|verschickt|aktualisiert|hinzugefügt|gebucht|eingereicht|übermittelt|abgeschlossen)(?!\p{L})/u,
    /(?<!\p{L})(?:aangemaakt|opgeslagen|verzonden|bijgewerkt|utworzono|zapisano|wysłano|oluşturuldu|kaydedildi|gönderildi)(?!\p{L})/u,
    /(?<!\p{L})(?:создан|сохранен|сохранён|отправлен|обновлен|обновлён|добавлен)[аоы]?(?!\p{L})/u
  ]
    .map(({ source }) => source)
    .join("|"),
  "iu"
)

/** Words for a deletion in languages other than English. They report a success of tools that delete. */
const deletions =
  /(?<!\p{L})(?:eliminad|borrad|removid|excluíd|apagad|eliminat|cancellat)[oaie]s?(?!\p{L})|(?<!\p{L})(?:supprimée?s?|gelöscht|entfernt|verwijderd|usunięto|silindi|удал[её]н[аоы]?)(?!\p{L})|已?(?:删除|刪除|移除)|削除(?:しました|されました)|삭제(?:되었|했)습니다/iu

/** Participles that report a success of any tool. States such as `blocked` are not in the list. */
const completed = set(`
  created saved sent updated added inserted stored submitted completed succeeded uploaded imported exported published
  scheduled queued appended written
`)

/**
 * Words that deny a success in a code. Other negative words may be the object of the action: `MARKED_INVALID`,
 * `DUPLICATE_REMOVED`.
 */
const denyingInCodes = set("not no never nothing without cannot cant unable already fail failed failure must too be")

/** True if a message contains a negation, advice, or another word of failures. */
export const denies = (message: string): boolean => {
  const words = wordsOf(message)
  return (
    words.some((word) => denying.has(word) || advising.has(word)) ||
    foreignDenials.test(message) ||
    foreignAdvice.test(message)
  )
}

/**
 * What a message or a code reports: that the tool did its work, that something else is in the state that the tool brings
 * about (`Connection closed` of the tool `close_ticket`), or nothing.
 */
type Report = "done" | "other" | "nothing"

/** True if a message reports, without a negation, that a tool did its work. `tool` is the name of the tool. */
export const reportsSuccess = (message: string, tool: string): boolean => reportOf(message, tool) === "done"

/**
 * Returns what a message reports about the work of a tool. Advice after the report changes nothing: `Note saved. Please
 * refresh`. Any other denial does.
 */
export const reportOf = (message: string, tool: string): Report => {
  const clauses = clausesOf(message)
  const reports = clauses.map((clause) => reportInClause(clause, tool))
  if (reports.includes("other")) return "other"
  const at = reports.indexOf("done")
  if (at === -1) return "nothing"
  const isDenied = clauses.some(
    (clause, index) => reports[index] !== "done" && (index < at ? denies(clause) : deniesAfter(clause, tool))
  )
  return isDenied ? "nothing" : "done"
}

/** True if a clause after the report of a success denies it, or states something else that failed. */
const deniesAfter = (clause: string, tool: string): boolean => {
  const verbs = meantBy(tool)
  return (
    wordsOf(clause).some((word) => denying.has(word) || (states.has(word) && !verbs.has(stemOf(word)))) ||
    foreignDenials.test(clause)
  )
}

/** True if a clause reports that the tool did its work. */
export const isDoneIn = (clause: string, tool: string): boolean => reportInClause(clause, tool) === "done"

/** Returns what a clause reports. Words of the tool's name deny nothing: `Marked invalid` of `mark_invalid`. */
const reportInClause = (clause: string, tool: string): Report => {
  const named = new Set([...statesOf(tool), ...namesIn(tool).filter((name) => !isParticiple(name))])
  const isDenied =
    wordsOf(clause).some((word) => (denying.has(word) || advising.has(word)) && !named.has(word)) ||
    foreignDenials.test(clause) ||
    foreignAdvice.test(clause)
  if (isDenied) return "nothing"
  const words = clause.toLowerCase().match(/[a-z]+|\d+/g) ?? []
  const report = reportIn(words, tool)
  if (report !== "nothing") return report
  const isCompletion = successes.test(clause) || isCompleted(words) || (deletes(tool) && deletions.test(clause))
  return isCompletion && !failsOutright(clause) && !words.some((word) => states.has(word)) ? "done" : "nothing"
}

/** Words that may follow the participle of a completed action. */
const following = set("successfully now and with to in at on for as from into under via id ok until again")

/** True if a clause ends with the participle of a completed action, or continues with its circumstances. */
const isCompleted = (words: ReadonlyArray<string>): boolean => {
  const at = words.findIndex((word) => completed.has(word))
  const next = words[at + 1]
  return at >= 0 && !isForeign(words, at) && (next === undefined || following.has(next) || !/^[a-z]{3}/.test(next))
}

/**
 * True if a participle refers to nothing, or to the action of someone else: `0 rows updated`, `used by a user created
 * …`.
 */
const isForeign = (words: ReadonlyArray<string>, at: number): boolean =>
  words.slice(0, at).some((word) => /^(?:0+|zero|by)$/.test(word))

/**
 * True if the words of a code say that a tool did its work: `ORDER_CREATED`, and `PO_REJECTED` from the tool
 * `reject_po`.
 */
export const namesSuccess = (words: ReadonlyArray<string>, tool: string): boolean => {
  const ofTool = new Set(namesIn(tool))
  // the name of a thing, such as `NO_SHOW_FEE` for the tool `charge_no_show_fee`
  if (words.every((word) => ofTool.has(word) && !isParticiple(word))) return true
  const isDenied = words.some((word) => denyingInCodes.has(word) && !ofTool.has(word))
  return !isDenied && (completed.has(words.at(-1) ?? "") || reportIn(words, tool) === "done")
}

/** True if a code names the state of something that is not the tool's object: `CONNECTION_CLOSED` of `close_ticket`. */
export const namesOtherThing = (words: ReadonlyArray<string>, tool: string): boolean =>
  reportIn(words, tool) === "other"

/** True if a state is what the tool brings about: `rejected` for `reject_po`, `invalid` for `mark_invalid`. */
export const isPurpose = (words: ReadonlyArray<string>, tool: string): boolean => {
  const marked = statesOf(tool)
  return words.some((word) => marked.has(word)) || reportIn(words, tool) === "done"
}

/** Things on which tools depend. Their state is not the work of a tool, unless its name contains them. */
const surroundings = set(`
  access permission permissions authorization authentication login credentials session token connection connections
  request requests response query transaction database db table server service host network socket stream channel process
  thread worker system firewall proxy gateway api key limit resource operation your
`)

/** Words that may come before a participle and name no thing. */
const grammar = set("a an the this that is are was were has have had been be got now all its it")

/** Words after a participle that make it a state or the action of someone else: `sold out`, `rejected by validation`. */
const ofState = set("out off by due because since during while")

/** Returns what a participle of the tool's verb or of a synonym reports. */
const reportIn = (words: ReadonlyArray<string>, tool: string): Report => {
  const names = namesIn(tool)
  const verbs = verbsOf(tool)
  const meant = meantBy(tool)
  const at = words.findIndex((word) => isParticiple(word) && meant.has(stemOf(word)))
  if (at === -1) return "nothing"
  const things = words.slice(0, at).filter((word) => /^[a-z]{2}/.test(word) && !grammar.has(word))
  const isOfTool = (word: string): boolean => names.some((name) => stemOf(name) === stemOf(word))
  if (isForeign(words, at) || ofState.has(words[at + 1] ?? "")) return "other"
  if (words.some((word) => surroundings.has(word) && !isOfTool(word))) return "other"
  const isOwnVerb = verbs.includes(stemOf(words[at] ?? ""))
  return isOwnVerb || things.length === 0 || things.some(isOfTool) ? "done" : "other"
}

/** The names of fields that affirm or deny a success, in lower case. */
export const successNames: ReadonlySet<string> = set(
  "ok success successful succeeded succeed isok issuccess issuccessful wassuccessful"
)

/** Matches the names of fields with words, which affirm nothing: a message may begin with `ok`. */
const wording = /(?:msg|message)$/

/**
 * True if an answer affirms its success in a boolean, a status or a code: `"ok": true`, `"status": "done"`, `"code": 0`.
 * The status 0 means a failure in some APIs.
 */
export const isAffirmed = (answer: JsonObject): boolean =>
  Object.entries(answer).some(
    ([name, value]) =>
      !wording.test(plain(name)) &&
      !(plain(name) === "status" && Number(value) === 0) &&
      (isSuccess(name, value) || (successNames.has(plain(name)) && (value === true || value === "true")))
  )
