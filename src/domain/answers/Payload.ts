/**
 * Finds the payload of an answer: the one object, or list, that remains when the fields of its envelope are ignored,
 * as in `{"request_id": "r-1", "data": {…}}` and `{"jsonrpc": "2.0", "id": 1, "result": {…}}`.
 *
 * The fields of an envelope describe the exchange: identifiers of requests, times and durations, versions, signatures,
 * headers. Fields that state a success (`"code": 0`, `"msg": "ok"`) and empty fields belong to the envelope too. The id
 * of an entity does not, so `{"id": "o-1", "payment": {…}}` is an entity and has no payload.
 *
 * At most 100 fields of an answer are read for what it states about itself (`excerptOf`): the work would otherwise grow
 * with the square of their number, which is up to the sender.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { keepNames } from "#domain/text/Memo"

const words = (names: string): ReadonlyArray<string> => names.trim().split(/\s+/)

/** Names of fields that describe the exchange, in lower case and without separators. */
const technical: ReadonlySet<string> = new Set(
  words(
    `
      jsonrpc extensions meta metadata responsemetadata requestid reqid traceid xtraceid correlationid logid rid debugid
      hostid spanid messageid timestamp ts time datetime servertime version apiversion protocolversion schemaversion jsonapi
      links duration durationms elapsed elapsedms took tookms latency sign signtype signature nonce header headers xmlns
      context warnings
    `
  )
)

/** Returns the name of a field in lower case, without separators and without the prefix of a namespace. */
export const plain = keepNames((name): string =>
  name
    .replace(/^(?:[a-z][\w-]{0,20}:|odata\.)/i, "")
    .toLowerCase()
    .replaceAll(/[\s_-]/g, "")
)

/** True if a field describes the exchange, and neither the answer nor an entity. */
export const isTechnical = (name: string, answer: JsonObject): boolean =>
  /^[@$#]|^xmlns:/.test(name) || technical.has(plain(name)) || (name === "id" && Object.hasOwn(answer, "jsonrpc"))

/** A message that consists of a word for success. */
export const saysSuccess =
  /^\s*(?:ok(?:ay)?|success(?:ful(?:ly)?)?|succeeded|done|completed|成功|操作成功|请求成功|(?:request|operation) (?:ok|success(?:ful)?|succeeded))\s*[.!]?\s*$/iu

const outcomes: ReadonlySet<string> = new Set(
  words(
    "ok success issuccess stat status code errcode errorcode errno ret retcode resultcode returncode msg message errmsg retmsg"
  )
)

/** True if a field says that the answer is a success. */
export const isSuccess = (name: string, value: unknown): boolean =>
  outcomes.has(plain(name)) &&
  (value === true ||
    value === 0 ||
    (typeof value === "number" && value >= 200 && value <= 299) ||
    (typeof value === "string" && value.length <= 40 && (/^(?:0+|2\d\d)$/.test(value) || saysSuccess.test(value))))

const maxFields = 100
const maxSearched = 2_000

/**
 * Returns an answer with at most 100 of its fields. First come up to 50 fields in which an answer can describe itself,
 * searched among its first and its last 2,000 fields: the fields for which the first function of `tells` is true, then
 * those of the next function. The other fields represent its data.
 */
export const excerptOf = (answer: JsonObject, ...tells: ReadonlyArray<(name: string) => boolean>): JsonObject => {
  const names = Object.keys(answer)
  if (names.length <= maxFields) return answer
  const searched =
    names.length <= 2 * maxSearched ? names : [...names.slice(0, maxSearched), ...names.slice(-maxSearched)]
  const telling = new Set(tells.flatMap((isTelling) => searched.filter(isTelling)))
  const chosen = new Set([...[...telling].slice(0, maxFields / 2), ...names.slice(0, maxFields)])
  return Object.fromEntries([...chosen].slice(0, maxFields).map((name) => [name, answer[name]]))
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ""

/** True if a field does not belong to the envelope of an answer. */
const isOwn = (name: string, answer: JsonObject): boolean =>
  !isAbsent(answer[name]) && !isTechnical(name, answer) && !isSuccess(name, answer[name])

/** Returns the objects that an answer contains, each with the name of its field. */
export const objectsIn = (answer: JsonObject): ReadonlyArray<readonly [string, JsonObject]> =>
  Object.entries(answer).filter(
    (entry): entry is [string, JsonObject] => isJsonObject(entry[1]) && isOwn(entry[0], answer)
  )

/** Returns the payload of an answer with the name of its field; `undefined` if the answer has none. */
export const payloadOf = (answer: JsonObject): readonly [name: string, payload: object] | undefined => {
  let found: string | undefined
  for (const name of Object.keys(answer)) {
    if (!isOwn(name, answer)) continue
    if (found !== undefined) return undefined
    found = name
  }
  if (found === undefined) return undefined
  const payload = answer[found]
  return typeof payload === "object" && payload !== null ? [found, payload] : undefined
}
