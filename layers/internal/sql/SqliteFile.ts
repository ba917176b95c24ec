/**
 * Creates a SQLite file, and refuses a file that has lost its content.
 *
 * **Details**
 *
 * - A new file gets its first page under a temporary name, so a file of 0 bytes is never a new file: a crash or a copy
 *   has truncated it.
 * - SQLite would treat such a file as a new database, and delete the log next to it (`-wal`), which may contain the
 *   last rows.
 */
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  statSync
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { remedyOf } from "#layers/internal/sql/DialectSqlite"
import * as PrivateFile from "#layers/internal/stores/PrivateFile"

/** The place of a file, and whether SQLite would create it. */
interface Place {
  readonly path: string
  readonly mayCreate: boolean
}

/** Returns the place that a filename or a URI names. Undefined for a database in memory, or in a temporary file. */
const placeOf = (filename: string): Place | undefined => {
  const [, path] = /^file:(?:\/\/(?:localhost)?(?=\/))?([^?#]*)/u.exec(filename) ?? []
  if (path === undefined) {
    return filename === "" || filename === ":memory:" ? undefined : { path: filename, mayCreate: true }
  }
  const mode = new URL(filename.replace(/^[^?#]*/u, "file:///")).searchParams.get("mode") ?? "rwc"
  if (path === "" || path === ":memory:" || mode === "memory") return undefined
  return { path: decodeURIComponent(path), mayCreate: mode === "rwc" }
}

/**
 * Creates the file that a filename names, if it is missing, in WAL mode and readable only by its owner. Returns why the
 * file must not be opened. Throws the errors of SQLite and of the file system. `link` makes a hard link.
 */
export const prepare = (filename: string, link = linkSync): string | undefined => {
  const place = placeOf(filename)
  if (place === undefined) return undefined
  const path = targetOf(resolve(place.path))
  if (sizeOf(path) === 0) return emptyFile(path)
  if (!place.mayCreate || existsSync(path)) return undefined
  const folder = dirname(path)
  if (!existsSync(folder)) return missingFolder(folder)
  const logs = logsOf(path)
  // another process may have created the file and its log in the meantime
  if (logs.length > 0 && !existsSync(path)) return orphanedLog(logs)
  return create(path, link)
}

/** Returns the file that a link points to, even if that file is missing. */
const targetOf = (path: string, links = 0): string =>
  links < maxLinks && isLink(path) && !existsSync(path)
    ? targetOf(resolve(dirname(path), readlinkSync(path)), links + 1)
    : path

/** The maximum number of links that lead from a name to its file, as in Linux. */
const maxLinks = 40

const isLink = (path: string): boolean => {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false // there is no file, or SQLite reports why it cannot be read
  }
}

const sizeOf = (path: string): number | undefined => {
  try {
    const found = statSync(path)
    return found.isFile() ? found.size : undefined
  } catch {
    return undefined // as above
  }
}

/** Returns the files with rows that SQLite has not moved to the database file. */
const logsOf = (path: string): ReadonlyArray<string> =>
  [`${path}-wal`, `${path}-journal`].filter((log) => (sizeOf(log) ?? 0) > 0)

/** SQLITE_CANTOPEN, https://sqlite.org/rescode.html. */
const cannotOpen = 14

const create = (path: string, link: typeof linkSync): string | undefined => {
  const folder = folderFor(path)
  if (folder === undefined) return remedyOf({ errcode: cannotOpen })
  const temporary = join(folder, "database")
  try {
    // SQLite would apply the umask to a file that it creates
    PrivateFile.create(temporary)
    const db = new DatabaseSync(temporary)
    try {
      db.exec("PRAGMA journal_mode = WAL")
    } finally {
      db.close()
    }
    publish(temporary, path, link)
    return undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Creates a temporary folder for a new file. Undefined if the final folder of the file is not writable. */
const folderFor = (path: string): string | undefined => {
  try {
    return mkdtempSync(`${path}.new-`)
  } catch {
    return undefined
  }
}

/** Gives a file its final name, unless another process has created that file. */
const publish = (temporary: string, path: string, link: typeof linkSync): void => {
  try {
    link(temporary, path)
  } catch {
    if (existsSync(path)) return
    // a file system without hard links
    copyFileSync(temporary, path, constants.COPYFILE_EXCL)
  }
}

const emptyFile = (path: string): string => {
  const logs = logsOf(path)
  return logs.length === 0
    ? "It is empty (0 bytes). If it was a store, restore it; to start over, delete it."
    : `It is empty (0 bytes), but ${logs.join(" and ")} may contain its last rows. If it was a store, restore it; to start over, delete all of them.`
}

const orphanedLog = (logs: ReadonlyArray<string>): string =>
  `It is missing, but ${logs.join(" and ")} may contain its last rows. If it was a store, restore it; to start over, delete the rest.`

/** Missing folders are not created, because the path may be mistyped and an empty database would hide the mistake. */
const missingFolder = (folder: string): string =>
  `The folder ${folder} does not exist: create it (mkdir -p -m 700), or name a file in another folder.`
