/** Derives expectations about values and the names of schemas from the names of fields. */

/** The names of fields that identify a thing. */
const identifying =
  /(?:^|[_\-\s])(?:id|uuid|guid|sku|slug|isbn|asin|iata|sha|hash|number|code|key|ref|token)$|[a-z](?:Id|ID|Uuid|UUID|Guid|Number|Code|Key|Ref|Sha|Hash|Token)$/i

/** True if a field with this name identifies a thing. */
export const isIdentifying = (name: string): boolean => identifying.test(name)

/** The names of fields that contain free text, even if values repeat. */
const free =
  /(?:name|title|label|text|description|summary|message|comment|note|content|body|query|subject|caption|address|street|city|town|zip|postal|location|place|author|artist|user|owner|email|phone|url|uri|link|href|image|path|file|folder|tag|keyword|date|time|value|answer|output|std(?:out|err))s?$/i

/** True if a field with this name may be an enum. */
export const mayBeEnum = (name: string): boolean => !free.test(name) && !isIdentifying(name)

/** A few words, as in the values of an enum: `in_progress`, `GIFT CARD`, `4g-only`. */
const word = /^[a-z\d]*[a-z][a-z\d]*(?:[ _\-./][a-z\d]+){0,4}$/i

/** True if a text consists of a few words, is short enough for an enum, and has no number of three or more digits. */
export const isWord = (text: string): boolean => text.length <= 40 && word.test(text) && !/\d{3}/.test(text)

/** The names of fields that count or number something. */
const counting =
  /(?:^|[_-])(?:count|total|size|length|page|pages|limit|offset|index|position|rank|year|month|day|hour|age|quantity|qty|num|number|id|seats|votes|stars|views|likes|bytes|port|status|code)s?$|^(?:num|number|count|total|n)[_A-Z]|[a-z](?:Count|Total|Size|Length|Page|Index|Id|Year|Number)s?$/i

/** True if a field with this name counts or numbers something. */
export const isCounting = (name: string): boolean => counting.test(name)

const eventTime =
  /^(?:last|next|prev(?:ious)?)_?\w*(?:date|time|at|on|page|cursor|token)$|(?:end|ended|closed|deleted|archived|completed|finished|merged|cancell?ed|resolved|expire[sd])_?(?:date|time|at|on)$/i

/**
 * True if a field holds the time of an event that may not have happened, or a page or cursor that may not exist. Such a
 * field may be null even if no sample is null.
 */
export const mayBeNull = (name: string): boolean => eventTime.test(name)

const vague = /^(?:results?|data|value|output|payload|content|body|text|response|answer)$/i

/** True if a field's name is too general to suggest anything. */
export const isVague = (name: string): boolean => vague.test(name)

/** Splits a name into words. */
export const parts = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z\d]+/)
    .filter((part) => part !== "")

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const longestName = 60

/**
 * Converts a text to the name of a schema: `order_items` becomes `OrderItems`. Returns `""` if the text has neither
 * letters nor digits.
 */
export const pascal = (text: string): string => {
  const name = parts(text)
    .map((part) => upperFirst(/^[A-Z\d]+$/.test(part) ? part.toLowerCase() : part))
    .join("")
    .slice(0, longestName)
  return /^[A-Za-z]/.test(name) ? name : name === "" ? "" : `The${name}`
}

/** Converts a name to the singular: `entries` becomes `entry`. */
export const singular = (text: string): string => {
  if (/(?:^|[_\W])children$|[a-z]Children$/i.test(text)) return text.replace(/ren$/i, "")
  if (/people$/i.test(text)) return text.replace(/ople$/i, "rson")
  if (/(?:ss|us|is|news|status)$/i.test(text)) return text
  if (/ies$/i.test(text)) return text.replace(/ies$/i, "y")
  if (/(?:ch|sh|x|z|ss)es$/i.test(text)) return text.replace(/es$/i, "")
  return text.replace(/s$/i, "")
}
