/**
 * Finds the tokens of known programs in a text: statuses, errno names, SQLSTATEs, gRPC, JSON-RPC and curl codes, and
 * names of exception classes.
 *
 * A token counts only in a form that programs print, such as `status code 403`, `[Errno 13]`, `curl: (28)` or
 * `MCP error -32602`. The numbers in `Ticket 503` and `returned 500 rows` are not statuses.
 */
import { reasonPhrases } from "#domain/classification/codes/HttpStatus"

/** The tokens of a text. Each list is in the order of the forms, and tokens of one form are in the order of the text. */
interface Tokens {
  readonly statuses: Array<number>
  readonly codes: Array<string>
  readonly names: Array<string>
}

const statusForms: ReadonlyArray<RegExp> = [
  /\b(?:status|http)[_ ]?(?:error[_ ])?(?:code)?(?: is| was| of)?\s?[:=]?\s?["'(]?([345]\d\d)\b(?!\.\d)/gi,
  /\bHTTP\/\d(?:\.\d)? ([345]\d\d)\b/gi,
  /\berror(?: code)?: ([45]\d\d)\b(?!\.\d)/gi,
  /\b(?:[Rr]eturned|[Rr]esponded with|[Aa]nswered with|[Rr]esponse|[Gg]ot) (?:an? )?(?:error:? )?(?:code:? )?([45]\d\d)(?=$|[.,;)\n]|: | (?:error|for|from|when|status|response)\b| [A-Z(])/g,
  /\bfailed(?: with)?(?: status)?(?: code)?:? ?([45]\d\d)\b(?=$|[\s.,;)])/gi,
  /\b([45]\d\d) (?:client|server) error\b/gi,
  /<([45]\d\d)>/g,
  /\bAn error occurred \(([45]\d\d)\) when calling\b/g,
  // without the word `status`, other numbers are those of FTP and SMTP: `550 Failed to open file`
  /^(?:[\w.]{1,60}(?:Error|Exception): |[Ee]rror[: ]+)?(4[0-3]\d|451|50\d|52[0-9])(?=: | status code| [A-Z]| ?[{<]|$)/g
]

const phrases = [...reasonPhrases.keys()].join("|")
const wordsOfStatus = new RegExp(
  `\\b([45]\\d\\d)[:,]?[ -]{1,3}(${phrases})\\b|\\b(${phrases}) ?[(:] ?([45]\\d\\d)\\b`,
  "gi"
)

/** Each form with the prefix of its codes and a required literal. A form is tried only if the text has the literal. */
const codeForms: ReadonlyArray<readonly [form: RegExp, prefix: string, part: string]> = [
  [/\[Errno (-?\d{1,3})\]/g, "errno:", "[Errno "],
  [/\(os error (\d{1,5})\)/g, "errno:", "(os error "],
  [/\[WinError (\d{1,5})\]/g, "win:", "[WinError "],
  [/\bcurl: ?\((\d{1,2})\)/g, "curl:", "curl:"],
  [/\bRPC failed; curl (\d{1,2}) /g, "curl:", "RPC failed;"],
  [/\bSQLSTATE[[ :=]{1,3}"?([0-9A-Z]{5})\b/g, "sqlstate:", "SQLSTATE"],
  [/\bERROR (\d{4}) \([0-9A-Z]{5}\)/g, "mysql:", "ERROR "],
  [/\bERROR \d{4} \(([0-9A-Z]{5})\)/g, "sqlstate:", "ERROR "],
  [/\((?:\w{1,30}\.){0,3}\w{1,30}Error\) \((\d{4}), /g, "mysql:", "Error) ("],
  [/\bcode = ([A-Z][A-Za-z]{1,20}) desc = /g, "grpc:", " desc = "],
  [/\bStatusCode\.([A-Z_]{2,20})\b/g, "grpc:", "StatusCode."],
  [/^(\d{1,2}) [A-Z]{2,}(?:_[A-Z]+)?: /g, "grpc:", ": "],
  [/\b(?:MCP|JSON-?RPC) error:? ?(-\d{5})\b/gi, "jsonrpc:", "-32"],
  [/\berror code:? (-32\d{3})\b/gi, "jsonrpc:", "-32"],
  [/\bAn error occurred \((\w{2,80})\) when calling the\b/g, "", "An error occurred ("],
  [/\bnet::(ERR_[A-Z0-9_]{2,60})\b/g, "net:", "net::"],
  [/\b(NS_ERROR_[A-Z_]{2,60})\b/g, "", "NS_ERROR_"],
  [/\bnpm (?:error|ERR!) code (E[A-Z0-9]{2,30})\b/g, "npm:", "npm "],
  [/^[245]\d\d[ -]([245]\.\d{1,3}\.\d{1,3})\b/gm, "smtp:", "."],
  [/^([245]\d\d)[ -]\d\.\d{1,3}\.\d{1,3}\b/gm, "smtp:", "."],
  [/\b([A-Z][a-z]+[A-Za-z]{0,40}(?:\.[A-Z][A-Za-z]{1,40}){1,3})(?=:)/g, "", ":"]
]

const upperToken =
  /\b(?:E[A-Z0-9]{2,15}|EAI_[A-Z]{3,12}|UND_ERR_[A-Z0-9_]{2,40}|ERR_[A-Z0-9_]{2,60}|HPE_[A-Z_]{2,40}|SQLITE_[A-Z_]{2,40}|ER_[A-Z0-9_]{2,60}|WSAE?[A-Z]{3,20})\b/g

/** A class name before its message, at the end of a line, or in brackets. */
const className = /(?:^|[\s.:(<'])(_?[A-Z][A-Za-z0-9]{2,60})(?=(?: \[\w+\])?(?::|\(|\)|>| -|'|$))/gm

const take = (text: string, form: RegExp, limit: number, accept: (match: RegExpExecArray) => void): void => {
  form.lastIndex = 0
  let match = form.exec(text)
  for (let count = 0; match !== null && count < limit; count++, match = form.exec(text)) accept(match)
}

/** Finds the tokens of a text. */
export const tokensOf = (text: string): Tokens => {
  const found: Tokens = { statuses: [], codes: [], names: [] }
  if (/[345]\d\d/.test(text)) {
    for (const form of statusForms) take(text, form, 3, (match) => found.statuses.push(Number(match[1])))
    take(text, wordsOfStatus, 3, ([, before, phrase, words, after]) => {
      const status = Number(before ?? after)
      if (reasonPhrases.get((phrase ?? words ?? "").toLowerCase()) === status) found.statuses.push(status)
    })
  }
  for (const [form, prefix, part] of codeForms) {
    if (text.includes(part)) take(text, form, 3, (match) => found.codes.push(`${prefix}${match[1]}`))
  }
  take(text, upperToken, 8, (match) => found.codes.push(match[0]))
  take(text, className, 12, (match) => found.names.push(match[1] ?? ""))
  return found
}
