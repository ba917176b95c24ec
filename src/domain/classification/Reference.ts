/**
 * Decides whether the arguments name the thing that is missing, denied or wrong. If they do, the arguments are wrong;
 * otherwise the failure lies outside the call.
 *
 * The arguments name the thing if one of their values occurs in the error or in its URL or path, if a name that the
 * error quotes occurs in a value, or if the error names only the kind of thing. If the arguments are not known, the row
 * decides.
 */
import type { Evidence } from "./Evidence.ts"
import type { Diagnosis } from "#domain/classification/codes/Diagnosis"

const maximumLeaves = 64
const wordCharacter = /[\p{L}\p{N}_]/u

/** A string that lists names, such as `netflix,disney_plus`. */
const list = /^[\w.-]{1,80}(?:\s?[,;|]\s?[\w.-]{1,80}){1,30}$/

/** Collects the strings and numbers inside the arguments, in lower case. */
const leaves = (value: unknown): ReadonlyArray<string> => {
  const found: Array<string> = []
  const walk = (inner: unknown, depth: number): void => {
    if (found.length >= maximumLeaves || depth > 8) return
    if (typeof inner === "string") {
      const text = inner.slice(0, 2000).toLowerCase()
      found.push(text, ...(list.test(text) ? text.split(/[,;|\s]+/) : []))
    } else if (typeof inner === "number" || typeof inner === "bigint") found.push(String(inner))
    else if (typeof inner === "object" && inner !== null) for (const part of Object.values(inner)) walk(part, depth + 1)
  }
  walk(value, 0)
  return found
}

/** Returns the file name at the end of a path, if there is one. Errors report resolved paths, so folders may differ. */
const nameOf = (value: string): ReadonlyArray<string> => {
  const name = /^[^\n]{0,300}[/\\]([^/\\\s]{3,120})$/.exec(value)?.[1]
  return name === undefined ? [] : [name]
}

const hasValues = (args: unknown): boolean => typeof args === "object" && args !== null && Object.keys(args).length > 0

/** Returns the names of the fields inside the arguments, in snake_case. */
const fieldsOf = (value: unknown, depth = 0): ReadonlyArray<string> =>
  typeof value !== "object" || value === null || depth > 4
    ? []
    : Object.entries(value)
        .slice(0, maximumLeaves)
        .flatMap(([name, inner]) => [
          name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, "_").toLowerCase(),
          ...fieldsOf(inner, depth + 1)
        ])

/** True if `part` occurs in `whole` as a separate word. */
const containsWord = (whole: string, part: string): boolean => {
  for (let index = whole.indexOf(part); index >= 0; index = whole.indexOf(part, index + 1)) {
    const before = whole[index - 1] ?? " "
    const after = whole[index + part.length] ?? " "
    if (!wordCharacter.test(before) && !wordCharacter.test(after)) return true
  }
  return false
}

const quoted = /["'`\u00ab\u201c]([^"'`\u00bb\u201d\n]{2,120})["'`\u00bb\u201d]/g

/** Returns the names that an error quotes, and the hosts and paths it contains. */
const namesOf = (evidence: Evidence, scope: string): ReadonlyArray<string> => [
  ...[...scope.matchAll(quoted)].slice(0, 8).map((match) => match[1] ?? ""),
  ...evidence.places.map((place) => place.toLowerCase()),
  ...[...scope.matchAll(/(?:^|\s)(\/[\w.-][\w./-]{1,160})/g)].map((match) => match[1] ?? ""),
  ...[...scope.matchAll(/\b(?:no such|unknown) \w{2,20}: ([\w.-]{2,80})/g)].map((match) => match[1] ?? ""),
  ...[...scope.matchAll(/\b(?:enotfound|eai_again|(?:resolve\s)?host(?:name)?:?|resolve)\s+'?([\w.-]{3,120})/g)].map(
    (match) => match[1] ?? ""
  )
]

/** Matches the line of a long message that reports a missing thing. */
const missing =
  /\bnot found\b|\bno such\b|\bdo(?:es)?(?: not|n't) exist|\b(?:could not|couldn't|cannot|can't|unable to|failed to|did not) (?:be )?(?:find|found|locate|resolve|match|translate)|\bunknown\b|\bunrecogni[sz]ed\b|\bnot known\b|enoent\b|enotfound\b/

/** An introduction before the cause that names the missing thing: `Error searching for 'x': no such table: project`. */
const frame =
  /^(?:error|failed|unable|could not|cannot)\b[^\n:]{0,200}: (?=[^\n]{0,80}\b(?:no such|unknown) \w{2,20}: \S)/

/** Returns the part of the error that names the missing thing. */
const scopeOf = ({ lower }: Evidence): string => {
  const line = lower.split("\n").find((one) => missing.test(one)) ?? lower
  // The tool's own name does not count as an argument.
  return line.replace(frame, "").replaceAll(/\btool ["'`][^"'`\n]{1,120}["'`]/g, "tool")
}

/** The kind of thing that is missing: `user not found`, `no such order`, `invalid payment method`. */
const kinds =
  /\b([a-z]{3,20})(?: id)?\s{1,3}(?:was |is |could |does |do )?(?:not|n't) (?:be )?(?:found|exist)|\b(?:no such|unknown|no matching) ([a-z]{3,20})\b(?!:)/g

/**
 * True if an argument is named after the kind of the missing thing, because the value of the argument is then the
 * missing thing.
 */
const argumentsNameKind = (evidence: Evidence, scope: string): boolean => {
  const found = [...scope.replaceAll("_", " ").matchAll(kinds)].map(([, before, behind]) => before ?? behind ?? "")
  return (
    found.length > 0 &&
    fieldsOf(evidence.arguments).some((name) => found.some((kind) => name.split(/[_-]/).includes(kind)))
  )
}

/** A sentence that names only the kind of the missing thing. The arguments then refer to the thing itself. */
const kindAlone =
  /^(?:<?(?:error|tool_use_error|not found)[:>] *)*(?:the |this |that |some |any |a |an |one |requested |specified |given |such )*[a-z_ -]{3,40}(?:was |is |were |are |could |can |does |do |did )?(?:not|n't) (?:be )?(?:found|exist|located)(?: in [a-z ]{3,30})?(?:: not found|: [a-z ]{3,30})?[.!]?$|\b(?:could not|couldn't|cannot|did not|unable to|failed to) find (?:the |an? |any )?(?:exact |matching |expected )*(?:match|text|string|occurrence|snippet|block|line)s?\b|未找到|找不到|没有找到|沒有找到|不存在|未检索到|未查询到|查无|查無|无法找到|無法找到/

/** Things that belong to the tool's environment, never to the arguments. */
const own =
  /\b(?:modules?|packages?|librar(?:y|ies)|executables?|binar(?:y|ies)|programs?|drivers?|commands?|interpreters?|endpoints?|routes?|apis?|(?<!payment |shipping |delivery )methods?|servers?|services?|hosts?|databases?|tables?|relations?|schemas?|config\w*|settings?|credentials?|keys?|tokens?|browsers?|sessions?|environment)\b/

/** True if the arguments name the thing that is missing according to the error. */
const argumentsName = (evidence: Evidence): boolean => {
  const scope = scopeOf(evidence)
  if (argumentsNameKind(evidence, scope)) return true
  if (hasValues(evidence.arguments) && kindAlone.test(scope.trim()) && !own.test(scope)) return true
  const values = leaves(evidence.arguments).flatMap((value) => [value, ...nameOf(value)])
  const places = evidence.places.map((place) => place.toLowerCase())
  const named = namesOf(evidence, scope).filter((name) => name.length >= 3)
  return values.some(
    (value) =>
      (value.length >= 2 || /\d/.test(value)) &&
      (containsWord(scope, value) ||
        places.some(
          (place) => containsWord(place, value) || containsWord(place, encodeURIComponent(value).toLowerCase())
        ) ||
        named.some((name) => containsWord(value, name)))
  )
}

const scheme = /^[a-z][a-z0-9+.-]{1,20}:/

/** Returns the origins of the URLs in an error. */
const originsOf = (evidence: Evidence): ReadonlyArray<string> =>
  [
    ...evidence.places.map((place) => place.toLowerCase()),
    ...[...evidence.lower.matchAll(/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'`)]{0,200}/g)].slice(0, 8).map(([url]) => url)
  ].map((url) => /^[^/]*\/\/[^/?#]*/.exec(url)?.[0] ?? url)

/** True if the arguments contain the unusable URL. If the error does not name it, any URL in the arguments counts. */
const argumentsContainUrl = (evidence: Evidence): boolean => {
  const origins = originsOf(evidence)
  return leaves(evidence.arguments).some((value) =>
    origins.length === 0
      ? scheme.test(value)
      : value.length >= 2 &&
        origins.some((origin) => containsWord(origin, value) || value.startsWith(origin) || origin.startsWith(value))
  )
}

/**
 * Returns a diagnosis with its own code if the arguments name the thing, and with the code `otherwise` if they do not.
 * Diagnoses of other kinds are returned unchanged.
 */
export const resolve = (diagnosis: Diagnosis, evidence: Evidence): Diagnosis => {
  if (diagnosis.code === "unknown_reference") {
    const named = evidence.arguments === undefined || argumentsName(evidence)
    return named ? diagnosis : { ...diagnosis, code: diagnosis.otherwise ?? "not_found" }
  }
  if (diagnosis.otherwise === undefined || evidence.arguments === undefined) return diagnosis
  const named = (diagnosis.code === "invalid_request" && argumentsContainUrl(evidence)) || argumentsName(evidence)
  return named ? diagnosis : { ...diagnosis, code: diagnosis.otherwise }
}
