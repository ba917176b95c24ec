/**
 * Hides absolute paths of the host in a text: paths of Unix and Windows, and `file:` URLs.
 *
 * **Details**
 *
 * - A Unix path belongs to the host if it begins with a folder of operating systems (`/home`, `/srv`, `/etc` …). If
 *   APIs also use the name of the folder (`/app`, `/data` …), the path must end in a file of code, configuration or
 *   data. In `/data`, `/media`, `/dev`, `/run` and `/build`, a path of at least five names also belongs to the host.
 * - A path of a source file with a line number belongs to the host: `/orders/db.ts:12`.
 * - Known hidden folders and files (`.aws`, `.ssh`, `.npmrc` …) belong to the host, in `~` and in any other folder.
 * - In a file system error (`ENOENT` …) every absolute path belongs to the host.
 * - Paths of URLs and of requests (`GET /home/feed`) do not belong to the host.
 * - A path is kept if the model sent the path or one of its parent folders.
 * - The name of a file with a known extension, and its line number, are kept: `[redacted]/orders.json:12`.
 */

/** Replaces a hidden path or secret. */
export const mark = "[redacted]"

const hostRoots =
  "home|Users|root|srv|var|opt|usr|etc|tmp|mnt|private|proc|lib|lib64|sbin|bin|nix|snap|Library|Applications|Volumes|" +
  "System|__w|builds|workspaces?|github/workspace|export/home|run/(?:secrets|user|lock|containerd|systemd)|vault/secrets|" +
  "kaniko|rootfs"
const sharedRoots =
  "app|apps|data|code|src|work|repo|repos|project|projects|build|dist|run|dev|media|config|secrets|node_modules"
const extensions =
  "[cm]?[jt]sx?|json[l5c]?|ya?ml|toml|ini|cfg|conf|config|env|properties|py|rb|go|rs|java|kt|scala|php|pl|cs|cpp|cc|c|h|" +
  "swift|sh|bash|so|dll|exe|log|sql|db|sqlite3?|lock|pid|sock|pem|key|crt|xml|gradle|jar|war|class|map|txt|md|csv|html?|bak|tmp"

/** The names of the known hidden folders and files, without the dot. Many contain credentials. */
const credentials =
  "aws|ssh|kube|docker|gnupg|azure|oci|config|local|cache|npmrc|netrc|pgpass|git-credentials|vault-token|env|bash_history|" +
  "terraform\\.d|cargo|m2|gradle|pypirc|boto|s3cfg"

const unit = String.raw`[^\s"'\x60<>|*?:;,()[\]{}\\/]`
const nothingBefore = String.raw`(?<![\w.~%@$}/\\-])`
const unix =
  `${nothingBefore}(?:` +
  String.raw`\/(?:${hostRoots})(?:\/+${unit}*)+` +
  String.raw`|\/(?:${sharedRoots})(?:\/${unit}{1,255}){0,64}?\/[\w.@+-]{0,100}\.(?:${extensions})(?![\w/])` +
  String.raw`|\/(?:data|media|dev|run|build)(?:\/${unit}{1,255}){4,64}` +
  String.raw`|(?:\/${unit}{1,255}){0,64}?\/\.(?:${credentials})(?![\w-])(?:\/${unit}*)*` +
  String.raw`|(?:\/${unit}{1,255}){1,64}\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|php):\d+(?=[:)\s]|$)` +
  ")"
const home = String.raw`(?<![\w.~%@$}/\\-])~[\w.-]{0,32}\/\.(?:${credentials})(?![\w-])(?:\/${unit}*)*`
const anyUnix = String.raw`${nothingBefore}(?:\/${unit}+)+\/?`
const windows =
  String.raw`(?<![\w/])(?:[A-Za-z]:(?:\\{1,2}|\/)(?![/\\])|\\{2,4}[\w.$-]+\\{1,2})` +
  // Folder names can contain spaces.
  String.raw`(?:[^\\/:*?"'<>|\r\n]{1,80}\\{1,2})*[^\s"'\x60<>|*?:;,()[\]{}]*`
const fileUrl = String.raw`\bfile:\/{2,3}[^\s"'\x60<>|()[\]{}]+`

const hostPaths = new RegExp(`${fileUrl}|${windows}|${home}|${unix}`, "g")
const allPaths = new RegExp(`${fileUrl}|${windows}|${home}|${anyUnix}`, "g")
/** Matches a file system error, in which every absolute path belongs to the host. */
const fileError =
  /\b(?:ENOENT|EACCES|EPERM|EEXIST|EISDIR|ENOTDIR|ENOTEMPTY|EMFILE|ENFILE|ENOSPC|EROFS|ELOOP|EXDEV|ENAMETOOLONG|FileNotFoundError|No such file or directory|Not a directory|Is a directory)\b/i
/** Matches a slash or a backslash. A text without both contains no path. */
const mayHold = /[\\/]/
const request = /(?:^|[\s"'`(])(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)[ \t]{1,3}["'`]?$/

const withoutEnd = (path: string): string => path.replace(/[.,:;!?/\\]+$/, "")

/** True if the model sent this path or a parent folder. */
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

/**
 * Hides the absolute paths of the host in a text. Paths in `known`, the texts that the model sent, are kept.
 */
export const hidePaths = (text: string, known: ReadonlyArray<string>): string => {
  if (!mayHold.test(text)) return text
  return text.replace(fileError.test(text) ? allPaths : hostPaths, (found, offset: number) => {
    const path = withoutEnd(found)
    const rest = found.slice(path.length)
    if (path.startsWith("/") && request.test(text.slice(Math.max(0, offset - 12), offset))) return found
    return isKnown(path, known) ? found : hidden(path) + rest
  })
}
