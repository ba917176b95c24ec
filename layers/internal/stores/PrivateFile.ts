/**
 * Creates files of state, which only their owner may read and write (0600), in folders that only their owner may enter
 * (0700).
 *
 * **Details**
 *
 * - A file has its mode from its creation, whatever the process's umask is.
 * - A file that exists keeps its mode, because a person may have widened it.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"

/** The mode of a new file. */
export const mode = 0o600

/** The mode of a new folder. */
export const folderMode = 0o700

/** Creates an empty file, unless it exists or its folder is missing. */
export const create = (path: string): void => {
  // an existing file is not opened: closing it would release the locks that SQLite holds in this process
  for (const flag of ["wx", "a"]) {
    if (existsSync(path)) return
    try {
      return closeSync(openSync(path, flag, mode))
    } catch {
      // a link to a missing file can only be opened with the second flag; other errors are reported when the file is used
    }
  }
}

/** Creates a folder and its missing parents. */
export const createFolder = (path: string): void => void mkdirSync(path, { recursive: true, mode: folderMode })

/** Writes a text to a file. With `isNew`, fails with the code EEXIST if the file exists. */
export const write = (path: string, text: string, { isNew = false } = {}): void =>
  writeFileSync(path, text, { mode, flag: isNew ? "wx" : "w" })

/** Writes a text to a temporary file in the same folder, and gives it the name of the file. */
export const replace = (path: string, text: string): void => {
  const temporary = `${path}.${process.pid}.tmp`
  // a crashed process with the same id may have left this file
  rmSync(temporary, { force: true })
  try {
    writeFileSync(temporary, text, { mode, flag: "wx" })
    const existing = statSync(path, { throwIfNoEntry: false })
    if (existing !== undefined) chmodSync(temporary, existing.mode & 0o777)
    renameSync(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
}
