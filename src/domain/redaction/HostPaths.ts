/**
 * Absolute paths of the host in a text: what they look like on Unix, Windows and in `file:` URLs.
 *
 * **Details**
 *
 * - A Unix path is one of the host if it begins with a folder that hosts have (`/home`, `/srv`, `/etc` …). Folders that
 *   APIs have, too (`/app`, `/data` …), count only where the path ends in a file of code, configuration or data.
 * - In the error of a file system (`ENOENT` …) every absolute path is one of the host.
 * - Paths of URLs and of requests (`GET /home/feed`) are none.
 * - What is known to the model, because it sent the path or a folder above it, stays.
 * - The name of a file stays, with its line: `[redacted]/orders.json:12`.
 */

export const mark = "[redacted]"

const hostRoots =
  "home|Users|root|srv|var|opt|usr|etc|tmp|mnt|private|proc|lib|lib64|sbin|bin|nix|snap|Library|Applications|Volumes|" +
  "System|__w|builds|workspaces?|github/workspace"
const sharedRoots =
  "app|apps|data|code|src|work|repo|repos|project|projects|build|dist|run|dev|media|config|secrets|node_modules"
const extensions =
  "[cm]?[jt]sx?|json[l5c]?|ya?ml|toml|ini|cfg|conf|config|env|properties|py|rb|go|rs|java|kt|scala|php|pl|cs|cpp|cc|c|h|" +
  "swift|sh|bash|so|dll|exe|log|sql|db|sqlite3?|lock|pid|sock|pem|key|crt|xml|gradle|jar|war|class|map|txt|md|csv|html?|bak|tmp"

const unit = String.raw`[^\s"'\x60<>|*?:;,()[\]{}\\/]`
const nothingBefore = String.raw`(?<![\w.~%@$}/\\-])`
const unix =
  `${nothingBefore}(?:` +
  String.raw`\/(?:${hostRoots})(?:\/+${unit}*)+` +
  String.raw`|\/(?:${sharedRoots})(?:\/${unit}{1,255}){0,64}?\/[\w.@+-]{0,100}\.(?:${extensions})(?![\w/])` +
  String.raw`|(?:\/${unit}{1,255}){1,64}\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|php):\d+(?=[:)\s]|$)` +
  ")"
const anyUnix = String.raw`${nothingBefore}(?:\/${unit}+)+\/?`
const windows =
  String.raw`(?<![\w/])(?:[A-Za-z]:(?:\\{1,2}|\/)(?![/\\])|\\{2,4}[\w.$-]+\\{1,2})` +
  // a folder may have blanks in its name
  String.raw`(?:[^\\/:*?"'<>|\r\n]{1,80}\\{1,2})*[^\s"'\x60<>|*?:;,()[\]{}]*`
const fileUrl = String.raw`\bfile:\/{2,3}[^\s"'\x60<>|()[\]{}]+`

const hostPaths = new RegExp(`${fileUrl}|${windows}|${unix}`, "g")
const allPaths = new RegExp(`${fileUrl}|${windows}|${anyUnix}`, "g")
/** The error of a file system speaks of nothing but its paths. */
const fileError =
  /\b(?:ENOENT|EACCES|EPERM|EEXIST|EISDIR|ENOTDIR|ENOTEMPTY|EMFILE|ENFILE|ENOSPC|EROFS|ELOOP|EXDEV|ENAMETOOLONG|FileNotFoundError|No such file or directory|Not a directory|Is a directory)\b/i
/** Quick: a text without any of these holds no path of a host. */
const mayHold = /[\\/]/
const request = /(?:^|[\s"'`(])(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)[ \t]{1,3}["'`]?$/

const withoutEnd = (path: string): string => path.replace(/[.,:;!?/\\]+$/, "")

/** Whether the model sent this path, or a folder above it. */
const isKnown = (path: string, known: ReadonlyArray<string>): boolean =>
  known.some((text) => {
    if (text.includes(path)) return true
    const folder = text.replace(/[/\\]+$/, "")
    return folder.length > 1 && path.startsWith(folder) && /[/\\]/.test(path[folder.length] ?? "")
  })

const fileName = new RegExp(String.raw`[/\\]([\w.@+ -]{1,80}\.(?:${extensions})(?::\d+){0,2})$`)

const hidden = (path: string): string => {
  const name = fileName.exec(path)?.[1]
  return name === undefined ? mark : `${mark}/${name}`
}

/** Hides the absolute paths of the host in a text, except those in `known`: texts that the model wrote. */
export const hidePaths = (text: string, known: ReadonlyArray<string>): string => {
  if (!mayHold.test(text)) return text
  return text.replace(fileError.test(text) ? allPaths : hostPaths, (found, offset: number) => {
    const path = withoutEnd(found)
    const rest = found.slice(path.length)
    if (path.startsWith("/") && request.test(text.slice(Math.max(0, offset - 12), offset))) return found
    return isKnown(path, known) ? found : hidden(path) + rest
  })
}
