/** `toolguard diff`: says what a change of tools breaks, against the lock that a team has agreed on. */
import * as Changelog from "#kit/diff/Changelog"
import { counted } from "#kit/text/Numbers"
import { type Change, line } from "#kit/diff/Change"
import { changes as compare } from "#kit/diff/Changes"
import { FailingCalls } from "#kit/diff/FailingCalls"
import * as Lock from "#kit/diff/Lock"
import * as Skills from "#kit/diff/Skills"
import type { Snapshot } from "#kit/diff/Snapshot"
import type { FormatName } from "#kit/traffic/Format"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { globSync, readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import * as Files from "./Files.ts"
import * as Sources from "./Sources.ts"
import * as Text from "./Text.ts"
import { json } from "#kit/cli/console/Flags"
import { lineOf, misuse, problem, type Problem } from "#kit/cli/console/Problem"
import * as Progress from "#kit/cli/replay/Progress"
import { format } from "#kit/cli/replay/replay"
import * as Screen from "#kit/cli/console/Screen"
import * as Traffic from "#kit/cli/traffic/Traffic"

const on = (name: string, what: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(`${what}. Default: false`), Flag.withDefault(false))

const flags = {
  tools: Argument.String("tools").pipe(
    Argument.withDescription("Modules of guarded tools, JSON lists; with --mcp a command and its arguments"),
    Argument.variadic({ min: 1 })
  ),
  mcp: on("mcp", "Ask the MCP server that the command after -- starts"),
  lock: Flag.String("lock").pipe(
    Flag.withMetavar("<file>"),
    Flag.withDescription("The lock. Default: tools.lock.json"),
    Flag.withDefault("tools.lock.json")
  ),
  changes: Flag.String("changes").pipe(
    Flag.withMetavar("<file>"),
    Flag.withDescription("Where changes are accepted. Default: tools.changes.md beside the lock"),
    Flag.optional
  ),
  write: on("write", "Write the lock: these are the tools that callers may rely on"),
  accept: Flag.String("accept").pipe(
    Flag.withMetavar("<reason>"),
    Flag.withDescription("Accept the breaking changes: write them to the changelog, with the reason"),
    Flag.optional
  ),
  traffic: Flag.String("traffic").pipe(
    Flag.withMetavar("<file>"),
    Flag.withDescription("Recorded traffic, to count calls that would fail; may be given several times"),
    Flag.atLeast(0)
  ),
  format,
  skills: Flag.String("skills").pipe(
    Flag.withMetavar("<glob>"),
    Flag.withDescription("Skills and prompts, to find what is stale in them; may be given several times"),
    Flag.atLeast(0)
  ),
  json
}

const failing = (
  before: Snapshot,
  after: Snapshot,
  given: { readonly traffic: ReadonlyArray<string>; readonly format: Option.Option<FormatName> }
): Effect.Effect<Text.Shown["traffic"], Problem> =>
  Effect.suspend(() => {
    if (given.traffic.length === 0) return Effect.succeed(undefined)
    const calls = new FailingCalls(before, after)
    const progress = Progress.make()
    return Stream.runForEach(
      Traffic.stream(given.traffic, { format: Option.getOrUndefined(given.format) }),
      ({ bytes, items, total }) =>
        Effect.sync(() => {
          for (const item of items) if (item._tag === "Conversation") calls.add(item)
          progress.at(bytes, total, calls.calls)
        })
    ).pipe(
      Effect.ensuring(Effect.sync(progress.end)),
      Effect.map(() => ({ calls: calls.calls, tools: calls.tools }))
    )
  })

/** Findings in the files of some globs, but for the changelog, which speaks of what is gone. */
const skillFindings = (
  globs: ReadonlyArray<string>,
  changesFile: string,
  before: Snapshot,
  after: Snapshot
): Effect.Effect<Text.Shown["skills"], Problem> =>
  Effect.gen(function* () {
    if (globs.length === 0) return undefined
    const found = globs.flatMap((glob) => globSync(glob)).filter((path) => statSync(path).isFile())
    const paths = [...new Set(found)].filter((path) => resolve(path) !== resolve(changesFile)).sort()
    if (paths.length === 0) return yield* problem(`No file is named ${globs.join(", ")}.`, "Correct --skills.")
    return yield* Effect.forEach(paths, (path) =>
      Effect.try({
        try: () => Skills.findings(path, readFileSync(path, "utf8"), before, after),
        catch: (error) => problem(`Cannot read ${path}: ${lineOf(error)}`, "Name files with --skills.")
      })
    ).pipe(Effect.map((found) => found.flat()))
  })

const asJson = (shown: Text.Shown): string =>
  JSON.stringify({
    changes: shown.changes.map((change: Change) => ({
      ...change,
      line: line(change),
      ...(change.weight === "breaking" ? { accepted: shown.accepted.has(change.id) } : {})
    })),
    ...(shown.traffic === undefined ? {} : { traffic: shown.traffic }),
    ...(shown.skills === undefined ? {} : { skills: shown.skills })
  })

export const diff = Command.make(
  "diff",
  flags,
  Effect.fnUntraced(function* (given) {
    const after = yield* given.mcp ? Sources.server(given.tools) : Sources.files(given.tools)
    const before = yield* Files.lock(given.lock)
    if (before === undefined) {
      if (!given.write) {
        return yield* problem(
          `There is no file ${given.lock}.`,
          "Write it with the tools that callers rely on: toolguard diff … --write"
        )
      }
      yield* Files.write(given.lock, Lock.write(after))
      return yield* Console.error(`${given.lock} is written: ${counted(after.size, "tool")}.`)
    }
    const changes = compare(before, after)
    const changesFile = Option.getOrElse(given.changes, () => join(dirname(given.lock), "tools.changes.md"))
    const changelog = yield* Files.changelog(changesFile)
    const judged = Changelog.judge(changes, Changelog.read(changelog))
    const isAccepting = Option.isSome(given.accept) && judged.open.length > 0
    if (Option.isSome(given.accept) && given.accept.value.trim() === "") {
      return yield* misuse("--accept has no reason.", `Say why the change is right: --accept "…"`)
    }
    const shown: Text.Shown = {
      changes,
      accepted: new Set([...judged.accepted, ...(isAccepting ? judged.open : [])].map(({ id }) => id)),
      traffic: yield* failing(before, after, given),
      skills: yield* skillFindings(given.skills, changesFile, before, after)
    }
    if (given.json) yield* Console.log(asJson(shown))
    else Text.write(yield* Screen.make(false), shown)
    for (const each of Files.withoutReason(changesFile, changelog)) yield* Console.error(each)
    const reason = Option.getOrElse(given.accept, () => "")
    const entries = isAccepting ? Changelog.accept(changelog, judged.open, reason) : changelog
    if (isAccepting) {
      yield* Files.write(changesFile, entries)
      yield* Console.error(`${counted(judged.open.length, "breaking change")} accepted in ${changesFile}.`)
    }
    const open = isAccepting ? [] : judged.open
    if (given.write && open.length === 0) {
      const marked = Changelog.locked(entries, changes)
      if (marked !== entries) yield* Files.write(changesFile, marked)
      yield* Files.write(given.lock, Lock.write(after))
      yield* Console.error(`${given.lock} is written: ${counted(after.size, "tool")}.`)
    }
    const stale = (shown.skills ?? []).filter(({ kind }) => kind === "stale").length
    if (open.length > 0) {
      return yield* problem(
        `${counted(open.length, "change")} ${open.length === 1 ? "breaks" : "break"} callers${given.write ? "; the lock was left as it is" : ""}.`,
        `Take ${open.length === 1 ? "it" : "them"} back, or accept with a reason: toolguard diff … --accept "why"`
      )
    }
    if (stale > 0)
      return yield* problem(
        `${counted(stale, "line")} of skills and prompts ${stale === 1 ? "is" : "are"} stale.`,
        "Correct them."
      )
    if (!given.json && changes.length === 0) yield* Console.log("Nothing has changed.")
  })
).pipe(
  Command.withShortDescription("Say what a change of tools breaks"),
  Command.withDescription(`Compares tools with the lock, tools.lock.json, by what their schemas accept, not by their text.

  Breaking: a call that was taken is refused, or a result may come that was not allowed. Each such
  change comes with a value that shows it; what cannot be proven counts as breaking, and says so.
  Behavioural: descriptions, access, annotations, defaults, the order of an enum. Safe: all else.

  A breaking change fails until it is accepted, with a reason, in the changelog, tools.changes.md:
  --accept writes the entries. --write writes the lock where nothing breaks that is not accepted.

  With --traffic the share of recorded calls that would fail is counted. With --skills the files
  that tell models of tools are searched: what they name and is gone or has changed fails, with its
  line; a tool that writes, named without advice to plan, check or ask before, is told.

  Exit codes: 0 nothing breaks; 1 a breaking change is not accepted, a skill is stale, or a file
  cannot be read or written; 2 the command was written wrongly.`),
  Command.withExamples([
    { command: "toolguard diff ./tools.ts --write", description: "Agree on the tools as they are" },
    { command: 'toolguard diff ./tools.ts --skills "skills/**/*.md"', description: "In CI" },
    { command: "toolguard diff ./tools.ts --traffic monday.jsonl.gz", description: "What it would break" },
    { command: 'toolguard diff ./tools.ts --accept "nobody sends late"', description: "Accept what breaks" },
    { command: "toolguard diff --mcp -- npx some-mcp-server", description: "The tools of a server" }
  ])
)
