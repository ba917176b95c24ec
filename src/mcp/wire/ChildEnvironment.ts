/**
 * Builds the environment of a server process: the variables that a program needs to run, and those that the caller
 * names.
 *
 * A guarded server must not read the credentials of this process. In particular, a process that may write to the
 * database of `TOOLGUARD_DATABASE` may approve calls, so variables of that prefix never reach a server.
 */
import process from "node:process"
import * as Result from "effect/Result"

/** Variables that a program may need to run, on POSIX systems. */
const posix: ReadonlyArray<string> = ["HOME", "LANG", "PATH", "SHELL", "TERM", "TMPDIR", "USER"]

/** The same on Windows, which ignores the case of names. The official MCP SDK passes the same variables. */
const windows: ReadonlyArray<string> = [
  "APPDATA",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE"
]

type Variables = Readonly<Record<string, string | undefined>>

/** True for a variable of the guard. Windows ignores the case of names. */
export const isOwn = (name: string): boolean => /^toolguard_/iu.test(name)

/**
 * Returns the environment of a server process. `named` overrides inherited variables. Fails with a sentence if `named`
 * contains a variable of the guard.
 */
export const make = (
  named: Readonly<Record<string, string>>,
  own: Variables = process.env,
  platform: string = process.platform
): Result.Result<Record<string, string>, string> => {
  const refused = Object.keys(named).find(isOwn)
  if (refused !== undefined)
    return Result.fail(
      `The variable ${refused} belongs to the guard and is not passed to a server. Remove it from env.`
    )
  const inherited: Record<string, string> = {}
  for (const name of platform === "win32" ? windows : posix) {
    const value = own[name]
    // a value that begins with () is a function that a shell exported
    if (value !== undefined && !value.startsWith("()")) inherited[name] = value
  }
  return Result.succeed({ ...inherited, ...named })
}
