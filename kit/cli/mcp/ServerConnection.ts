/**
 * Reads the MCP server of the proxy from the command line, with its variables or headers.
 *
 * Every program on a machine can read the command lines of other programs. A secret is therefore refused on the command
 * line, and comes from a variable or a file.
 */
import { fieldKind } from "effect-toolguard/internal/domain/redaction/SecretLike"
import * as Http from "effect-toolguard/internal/mcp/wire/Http"
import type { McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import * as Stdio from "effect-toolguard/internal/mcp/wire/Stdio"
import type { Transport } from "effect-toolguard/internal/mcp/wire/Transport"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as Option from "effect/Option"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import { readFileSync } from "node:fs"
import { misuse, type Problem, problem, unreadable } from "#kit/cli/console/Problem"
import { fit, plain } from "#kit/cli/console/Screen"
import * as Variables from "#kit/cli/console/Variables"

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

/** The argument and the flags that name the server. */
export const flags = {
  command: Argument.String("command").pipe(
    Argument.withDescription("After --: the command that starts the server, with its arguments"),
    Argument.variadic()
  ),
  env: Variables.env,
  url: Flag.optional(text("url", "<url>", "The server's address (streamable HTTP), instead of a command")),
  urlEnv: Flag.optional(text("url-env", "<variable>", "Variable with the server's address, if it contains a secret")),
  header: Flag.atLeast(
    text("header", "<name: value>", "Header of every request to the server; repeatable. Not for secrets"),
    0
  ),
  headerEnv: Flag.atLeast(
    text("header-env", "<name=variable>", "Header whose value is in a variable of the environment; repeatable"),
    0
  ),
  headerFile: Flag.atLeast(text("header-file", "<file>", "File with a header in each line, name: value; repeatable"), 0)
}

interface Options {
  readonly command: ReadonlyArray<string>
  readonly env: ReadonlyArray<string>
  readonly url: Option.Option<string>
  readonly urlEnv: Option.Option<string>
  readonly header: ReadonlyArray<string>
  readonly headerEnv: ReadonlyArray<string>
  readonly headerFile: ReadonlyArray<string>
}

interface Connection {
  readonly connect: Effect.Effect<Transport, McpError, ChildProcessSpawner | HttpClient | Scope.Scope>
  /** Warnings for the operator. */
  readonly warnings: ReadonlyArray<string>
}

type Header = readonly [name: string, value: string]

const headerName = /^[\w!#$%&'*+.^`|~-]+$/u

/** Parses `name: value`. */
const headerOf = (line: string): Header | undefined => {
  const [, name, value] = /^([^:]+?)\s*:\s*(\S.*)$/u.exec(line.trim()) ?? []
  return name === undefined || value === undefined || !headerName.test(name) ? undefined : [name.toLowerCase(), value]
}

/** True if a header carries a credential: by its name, or by the scheme of its value. */
const isCredential = ([name, value]: Header): boolean =>
  fieldKind(name.replace(/^x-/u, "")) !== "none" ||
  /^(?:proxy-)?authorization$|^cookie$|(?:^|-)key$/u.test(name) ||
  /^(?:basic|bearer|digest|token) /iu.test(value)

const fromFlag = (line: string): Effect.Effect<Header, Problem> => {
  const header = headerOf(line)
  if (header === undefined) return misuse(`--header ${plain(fit(line, 20))} is not a header.`, `Write "name: value".`)
  return isCredential(header)
    ? misuse(
        `--header ${plain(header[0])} has a secret, which other programs can read on the command line.`,
        `Set a variable, and write --header-env ${plain(header[0])}=VARIABLE, or use --header-file.`
      )
    : Effect.succeed(header)
}

const fromVariable = (pair: string): Effect.Effect<Header, Problem> => {
  const [name = "", variable = ""] = pair.split(/=(.*)/su)
  const shown = `--header-env ${plain(fit(name, 40))}`
  if (!headerName.test(name) || !/^\w+$/u.test(variable))
    return misuse(`${shown} does not name a header and a variable.`, "Write --header-env authorization=VARIABLE.")
  return Effect.flatMap(Variables.valueOf(shown, variable), (value) =>
    /[\r\n\0]/u.test(value.trim())
      ? misuse(`The variable ${variable} has a line break, which no header may contain.`, "Correct its value.")
      : Effect.succeed([name.toLowerCase(), value.trim()] as const)
  )
}

const fromFile = (file: string): Effect.Effect<ReadonlyArray<Header>, Problem> =>
  Effect.gen(function* () {
    const content = yield* Effect.try({
      try: () => readFileSync(file, "utf8"),
      catch: (error) => unreadable(plain(file), error, "Correct --header-file.")
    })
    const lines = content.replace(/^\uFEFF/u, "").split(/\r?\n/u)
    return yield* Effect.forEach(
      [...lines.entries()].filter(([, line]) => line.trim() !== ""),
      ([index, line]) => {
        const header = headerOf(line)
        // the message does not quote the line, which may be a secret
        return header === undefined
          ? Effect.fail(problem(`${plain(file)}:${index + 1} is not a header.`, `Write "name: value" in each line.`))
          : Effect.succeed(header)
      }
    )
  })

const headersOf = (options: Options): Effect.Effect<ReadonlyArray<Header>, Problem> =>
  Effect.map(
    Effect.all([
      Effect.forEach(options.header, fromFlag),
      Effect.forEach(options.headerEnv, fromVariable),
      Effect.map(Effect.forEach(options.headerFile, fromFile), (files) => files.flat())
    ]),
    (headers) => headers.flat()
  )

const howTo = "Write toolguard mcp proxy -- COMMAND ARGS…, or toolguard mcp proxy --url URL."

const isLoopback = ({ hostname }: URL): boolean => /^(?:127(?:\.\d+){3}|localhost|\[::1\])$/u.test(hostname)

const addressOf = (options: Options): Effect.Effect<URL | undefined, Problem> =>
  Effect.gen(function* () {
    if (Option.isNone(options.url) && Option.isNone(options.urlEnv)) return undefined
    if (Option.isSome(options.url) && Option.isSome(options.urlEnv))
      return yield* misuse("The command line has both --url and --url-env.", "Remove one of them.")
    const written = Option.getOrUndefined(options.url)
    const url =
      written ??
      (yield* Variables.valueOf(
        "--url-env",
        Option.getOrElse(options.urlEnv, () => "")
      ))
    const flag = written === undefined ? "The address of --url-env" : `--url ${plain(fit(written, 60))}`
    if (!URL.canParse(url) || !/^https?:$/u.test(new URL(url).protocol))
      return yield* misuse(`${flag} is not an http(s) URL.`, howTo)
    const address = new URL(url)
    // `fetch` refuses an address with credentials
    if (address.username !== "" || address.password !== "")
      return yield* misuse(
        "The address of the server contains a user name or a password.",
        "Remove them from the address, and write --header-env authorization=VARIABLE."
      )
    const secret = [...address.searchParams.keys()].find((name) => fieldKind(name) !== "none" || /^key$/iu.test(name))
    if (written !== undefined && secret !== undefined)
      return yield* misuse(
        `--url contains the secret ${plain(fit(secret, 40))}, which other programs can read on the command line.`,
        "Set a variable to the address, and write --url-env VARIABLE."
      )
    return address
  })

/** Returns the connection to the server that the command line names. */
export const serverOf = (options: Options): Effect.Effect<Connection, Problem> =>
  Effect.gen(function* () {
    const [command, ...args] = options.command
    const address = yield* addressOf(options)
    if (address !== undefined) {
      if (command !== undefined) return yield* misuse("The command line has both a command and --url.", howTo)
      if (options.env.length > 0)
        return yield* misuse("--env needs a command.", "Remove it, or name a command after --.")
      const headers = yield* headersOf(options)
      const isReadable = address.protocol === "http:" && !isLoopback(address) && headers.some(isCredential)
      return {
        connect: Http.make({ url: address.href, headers: Object.fromEntries(headers) }),
        warnings: isReadable
          ? [`The credential is sent to ${address.host} without encryption. Use https:// if the server supports it.`]
          : []
      }
    }
    const unused = [options.header, options.headerEnv, options.headerFile].flat()
    if (unused.length > 0) return yield* misuse("--header needs --url.", "Remove it, or add --url.")
    if (command === undefined) return yield* misuse("No server is named.", howTo)
    const env = yield* Variables.forServer(options.env)
    return {
      connect: Stdio.make({ command, args, env, noise: (text) => void process.stderr.write(text) }),
      warnings: []
    }
  })
