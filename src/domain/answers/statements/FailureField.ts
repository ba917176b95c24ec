/**
 * Recognises fields whose name says that something failed, or that nothing was done: `{"validationErrors": […]}`,
 * `{"fehler": "Konto gesperrt"}`, `{"timedOut": true}`, `{"dryRun": true}`.
 *
 * Such a field raises a doubt about a write. The findings of a tool that examines something do not, and neither does
 * the purpose of the tool: `{"aborted": true}` of `abort_upload`.
 */
import { plain } from "#domain/answers/Payload"
import { isPurpose } from "#domain/answers/ReportedSuccess"
import { isNothing } from "#domain/answers/StatedError"
import { actionOf } from "#domain/text/ToolAction"
import { namesIn } from "#domain/text/ToolName"

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/** Words of other languages for an error, as names of fields. */
const foreignErrors = set(`
  fehler fehlermeldung fehlertext erreur erreurs messageerreur errore errori erro erros mensajeerror mensajedeerror
  mensagemerro mensagemdeerro ошибка ошибки 错误 錯誤 错误信息 错误消息 エラー エラーメッセージ 오류 오류메시지
`)

/** Matches the names of lists of errors about parts of the request: `validationErrors`. */
const errorLists = /^[a-z]{2,16}errors$|^errorlist$/

/** Names of flags which say, if they are true, that the action was not done, or was undone. */
const undoneFlags = set("timedout aborted rolledback rollback dryrun simulated noop skipped ignored")

/** Flags that an entity can also have as its own state. */
const flagsOfEntities = set("timedout aborted noop skipped ignored")

/** True if a field says, with the value true, that the action was not done, or was undone. */
export const isUndoneFlag = (name: string): boolean => undoneFlags.has(plain(name))

/** True if the name of a field is only that of a failure, or of an action that was not done. */
export const isFailureField = (name: string): boolean =>
  foreignErrors.has(plain(name)) || undoneFlags.has(plain(name)) || errorLists.test(plain(name))

/**
 * True if a field of a write's answer says that something failed, or that nothing was done. `isOfEntity` is true if the
 * answer is an entity.
 */
export const reportsFailure = (name: string, value: unknown, isOfEntity: boolean, tool: string): boolean => {
  const field = plain(name)
  if (foreignErrors.has(field)) return !isNothing(value) && value !== 0
  if (actionOf(tool).examines) return false
  if (value === true)
    return undoneFlags.has(field) && !(isOfEntity && flagsOfEntities.has(field)) && !isOfTool(field, tool)
  return errorLists.test(field) && typeof value === "object" && !isNothing(value)
}

/** The number of letters that a flag and a word of the tool's name must share: `rolledBack` of `rollback_deploy`. */
const shared = 4

/** True if a flag is the purpose of the tool. */
const isOfTool = (flag: string, tool: string): boolean =>
  isPurpose([flag], tool) || namesIn(tool).some((word) => flag.startsWith(word.slice(0, shared)))
