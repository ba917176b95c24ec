/**
 * Reads here-documents and here-strings of a shell, in a text and in a text that is itself a string: the lines of a
 * here-document are the content of a file or the input of a command.
 *
 * **Details**
 *
 * - A here-document begins at `<<EOF` and ends at a line that contains only `EOF`. Without this line it is not one, so
 *   that a shift (`1 << bits`) is not taken for a here-document.
 * - At most 4,096 characters before a place, and 16,384 after it, are searched for the begin and the end.
 */
import { valueAt } from "./AssignedValue.ts"
import { isPlaceholder } from "./Placeholders.ts"
import type { Finder, Span } from "./SecretFinder.ts"

/** The number of characters that are searched for the beginning of a here-document, and for its end. */
const reach = { begin: 4_096, end: 16_384 }

/** A line break of a text, and of a text in a string. */
const lineBreak = String.raw`(?:\r?\n|\\{1,3}(?:r\\{1,3})?n)`
const opening = /<<[-~]?[ \t]{0,3}(?:\\{0,3}["']|\\)?([A-Za-z_]\w{0,40})(?:\\{0,3}["'])?/y
const toLineEnd = new RegExp(String.raw`(?:(?!${lineBreak})[^]){0,300}${lineBreak}`, "y")

/** The line that ends a here-document. */
const endOf = (delimiter: string): RegExp => new RegExp(String.raw`${lineBreak}[ \t]*${delimiter}(?=\s|\\|["'\x60)]|$)`)

/** Returns the place of the lines of the here-document that begins at `<<`. */
const bodyAt = (text: string, at: number): Span | undefined => {
  opening.lastIndex = at
  const delimiter = opening.exec(text)?.[1]
  if (delimiter === undefined) return undefined
  toLineEnd.lastIndex = opening.lastIndex
  if (toLineEnd.exec(text) === null) return undefined
  const start = toLineEnd.lastIndex
  // the first line can already be the delimiter
  const before = Math.max(0, start - 8)
  const found = endOf(delimiter).exec(text.slice(before, start + reach.end))
  return found === null ? undefined : { start, end: Math.max(start, before + found.index) }
}

/** How many `<<` before a place are read: the lines of a here-document can contain `<<` too. */
const maxBegins = 8

/** True if a place of a text is in the lines of a here-document. */
export const isInHereDocument = (text: string, at: number): boolean => {
  const from = Math.max(0, at - reach.begin)
  const before = text.slice(from, at)
  let begin = before.length
  for (let count = 0; count < maxBegins && begin > 0; count++) {
    begin = before.lastIndexOf("<<", begin - 1)
    if (begin < 0) return false
    const body = bodyAt(text, from + begin)
    if (body !== undefined && body.start <= at && at < body.end) return true
  }
  return false
}

/**
 * The commands that read a secret from their input, by an option or always. `sudo -S` reads only the first line of it.
 */
const reader =
  /(?:--(?:password|passwd|token)-stdin|--with-token|--passphrase-fd[= ]0|-pass(?:in|out)?[= ]stdin|(?:ch|smb)?passwd|sudo(?:[ \t]{1,3}-{1,2}[\w-]{1,20}(?:[ \t=]{1,3}[\w.]{1,30})?){0,4}[ \t]{1,3}-\w{0,5}S)(?=[\s"'\\)]|$)/y

/** The text before an option, and before a command. */
const beforeOption = /(?:^|[\s;&|("'\x60])$/
const beforeCommand = /(?:^|[\n|;&("'\x60]|\\n|\bsudo(?:[ \t]{1,3}-\w{1,3}){0,3})[ \t]{0,40}(?:[\w/]{0,20}bin\/)?$/

/** The rest of a command, up to the input that follows it. */
const restOfCommand = /^(?:(?!\\[nr])[^\n|;&<]|<(?=[^<])){0,300}/
const here = /<<<[ \t]{0,3}/y

/** A command that writes a value into a pipe. */
const writer =
  /(?:^|[\s;&|("'\x60]|\\n)(?:echo(?:[ \t]{1,3}-[neE]{1,3}){0,2}|printf(?:[ \t]{1,3}\\{0,3}["']?%s(?:\\{1,4}n)?\\{0,3}["']?)?)[ \t]{1,3}(?=[^\s|][^\n|;&]{0,250}$|\\{0,3}(["'])(?:(?!\1)[^\n]){1,250}\1[ \t]{0,3}$)/
const writtenDocument = /\bcat[ \t]{1,3}(?=<<[^\n|<]{1,60}$)/

/** The number of characters before a command in which a pipe is searched. */
const maxBefore = 400

const isVariable = (value: string): boolean => isPlaceholder(value) || /^\\{0,3}["']?[$`<{(]/.test(value)

const user = /^[\w.-]{1,60}:(?=\S)/

/** Returns the place of a secret, without the `user:` before it. Undefined for a variable and for a placeholder. */
const secretIn = (text: string, { end, isCut, start }: Span): Span | undefined => {
  const value = text.slice(start, Math.min(end, start + 300))
  const name = user.exec(value)?.[0].length ?? 0
  const secret = value.slice(name)
  return secret.length < 3 || isVariable(value) || isVariable(secret) ? undefined : { start: start + name, end, isCut }
}

/** Returns the place of the secret in the here-document that begins at `at`: in all its lines, or in the first line. */
const secretInLines = (text: string, at: number, isFirst: boolean): Span | undefined => {
  const body = bodyAt(text, at)
  if (body === undefined) return undefined
  const lines = text.slice(body.start, body.end)
  const read = isFirst ? (firstLine.exec(lines)?.[0] ?? "") : lines
  const start = body.start + read.length - read.trimStart().length
  return secretIn(text, { start, end: body.start + read.trimEnd().length })
}

const firstLine = new RegExp(String.raw`^(?:(?!${lineBreak})[^])*`)

/** Returns the place of the secret that the command before the pipe writes. */
const pipedSecret = (text: string, at: number): Span | undefined => {
  const from = Math.max(0, at - maxBefore)
  const before = text.slice(from, at)
  const pipe = before.lastIndexOf("|")
  if (pipe < 0 || /[\n;&<]|\\n/.test(before.slice(pipe))) return undefined
  const left = before.slice(0, pipe)
  const echo = writer.exec(left)
  if (echo !== null) return secretIn(text, valueAt(text, from + echo.index + echo[0].length))
  const cat = writtenDocument.exec(left)
  return cat === null ? undefined : secretInLines(text, from + cat.index + cat[0].length, false)
}

/** Returns the place of the secret in the here-document or the here-string after a command. */
const redirectedSecret = (text: string, at: number, isFirst: boolean): Span | undefined => {
  const next = at + (restOfCommand.exec(text.slice(at, at + 300))?.[0].length ?? 0)
  here.lastIndex = next
  const string = here.exec(text)
  return string === null ? secretInLines(text, next, isFirst) : secretIn(text, valueAt(text, next + string[0].length))
}

/**
 * Finds the input of a command that reads a secret from it: `docker login --password-stdin <<< …`, `chpasswd <<EOF …`,
 * `echo … | sudo -S …`.
 */
const input: Finder = {
  keywords: [
    "--password-stdin",
    "--passwd-stdin",
    "--token-stdin",
    "--with-token",
    "--passphrase-fd",
    "-pass stdin",
    "-passin stdin",
    "-passout stdin",
    "passwd",
    "sudo -"
  ],
  find: (text, at) => {
    const prefix = /(?:ch|smb)$/.exec(text.slice(Math.max(0, at - 3), at))?.[0].length ?? 0
    reader.lastIndex = at - prefix
    const command = reader.exec(text)?.[0]
    if (command === undefined) return undefined
    const before = command.startsWith("-") ? beforeOption : beforeCommand
    if (!before.test(text.slice(Math.max(0, at - prefix - 100), at - prefix))) return undefined
    return (
      pipedSecret(text, at - prefix) ?? redirectedSecret(text, at - prefix + command.length, command.startsWith("sudo"))
    )
  }
}

/** The finders of this file. */
export const inputs: ReadonlyArray<Finder> = [input]
