/** `toolguard diff`: reports breaking changes to tools, compared with the lock that callers rely on. */
import * as Changelog from "#kit/diff/Changelog"
import { counted } from "#kit/text/Numbers"
import { type Change, line } from "#kit/diff/Change"
import { changes as compare } from "#kit/diff/Changes"
import * as Lock from "#kit/diff/Lock"
import * as Skills from "#kit/diff/Skills"
import type { Snapshot } from "#kit/diff/Snapshot"
import { writeAccessOf } from "#kit/diff/WriteAccess"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { globSync, readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import * as Files from "./Files.ts"
import type { RatedTraffic } from "./RatedTraffic.ts"
import * as Sources from "./Sources.ts"
import * as Text from "./Text.ts"
import * as Json from "#kit/cli/console/Json"
import * as Conditions from "#kit/cli/console/Conditions"
import { json } from "#kit/cli/console/Flags"
import { lineOf, misuse, problem, type Problem } from "#kit/cli/console/Problem"
import * as Source from "#kit/cli/traffic/Source"
import * as Screen from "#kit/cli/console/Screen"
import * as Variables from "#kit/cli/console/Variables"

const off = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(`${description}. Default: false`), Flag.withDefault(false))

const flags = {
  tools: Argument.String("tools").pipe(
    Argument.withDescription("Modules of guarded tools or JSON lists; with --mcp, a command and its arguments"),
    Argument.variadic({ min: 1 })
  ),
  mcp: off("mcp", "Read the tools of an MCP server; its command follows --"),
  env: Variables.env,
  lock: Flag.String("lock").pipe(
    Flag.withMetavar("<file>"),
    Flag.withDescription("The lock. Default: tools.lock.json"),
    Flag.withDefault("tools.lock.json")
  ),
  changes: Flag.String("changes").pipe(
    Flag.withMetavar("<file>"),
    Flag.withDescription("Changelog of accepted changes. Default: tools.changes.md next to the lock"),
    Flag.optional
  ),
  write: off("write", "Write the lock: callers may rely on these tools"),
  accept: Flag.String("accept").pipe(
    Flag.withMetavar("<reason>"),
    Flag.withDescription("Accept the breaking changes: add them to the changelog with this reason"),
    Flag.optional
  ),
  traffic: Flag.String("traffic").pipe(
    Flag.withMetavar("<file>"),
    Flag.withDescription("Recorded traffic by which to rate the changes: how many calls each breaks; repeatable"),
    Flag.atLeast(0)
  ),
  failIf: Flag.String("fail-if").pipe(
    Flag.withMetavar("<condition>"),
    Flag.withDescription('With --traffic: fail if a condition such as "broken>0.5%" holds, also for accepted changes'),
    Flag.optional
  ),
  ...Source.flags,
  skills: Flag.String("skills").pipe(
    Flag.withMetavar("<glob>"),
    Flag.withDescription("Skills and prompts in which to find stale statements; repeatable"),
    Flag.atLeast(0)
  ),
  strict: off("strict", "With --skills: fail for missing advice too"),
  json
}

/** The count that a condition of `--fail-if` compares. A share is relative to all calls of the compared tools. */
const countable: Conditions.Countable<RatedTraffic> = {
  counts: { broken: ({ tools }) => Text.brokenIn(tools) },
  total: ({ calls }) => calls,
  example: "broken>0.5%"
}

/** Fails if a condition holds, or if there is no call to count. */
const checked = (
  conditions: ReadonlyArray<Conditions.Condition<RatedTraffic>>,
  traffic: Text.Report["traffic"]
): Effect.Effect<void, Problem> => {
  const [first] = conditions
  if (first === undefined || traffic === undefined) return Effect.void
  if (traffic.calls === 0) {
    return Effect.fail(
      problem(
        `The files have no call of these tools, so ${first.text} counts nothing.`,
        "Pass traffic in which the model calls these tools."
      )
    )
  }
  for (const { holds, text } of conditions) {
    const found = holds(traffic)
    if (found !== undefined) {
      return Effect.fail(problem(`The condition ${text} holds: ${found} calls would newly fail.`, "See the report."))
    }
  }
  return Effect.void
}

/** Rates the changes by recorded calls; `undefined` without traffic. */
const rated = (
  before: Snapshot,
  after: Snapshot,
  changes: ReadonlyArray<Change>,
  options: Source.Options & { readonly traffic: ReadonlyArray<string> }
): Effect.Effect<Text.Report["traffic"], Problem> =>
  options.traffic.length === 0
    ? Effect.undefined
    : // the replay is loaded only if there is traffic
      Effect.flatMap(
        Effect.promise(() => import("./RatedTraffic.ts")),
        ({ read }) => read(options, before, after, changes)
      )

/**
 * Finds stale statements and missing advice in the files that match the globs. Skips the changelog, because it mentions
 * removed tools and fields.
 */
const skillFindings = (
  globs: ReadonlyArray<string>,
  changesFile: string,
  before: Snapshot,
  after: Snapshot
): Effect.Effect<Text.Report["skills"], Problem> =>
  Effect.gen(function* () {
    if (globs.length === 0) return undefined
    const found = globs.flatMap((glob) => globSync(glob)).filter((path) => statSync(path).isFile())
    const paths = [...new Set(found)].filter((path) => resolve(path) !== resolve(changesFile)).sort()
    if (paths.length === 0) return yield* problem(`No file matches ${globs.join(", ")}.`, "Correct --skills.")
    const writing = writeAccessOf(after)
    return yield* Effect.forEach(paths, (path) =>
      Effect.try({
        try: () => Skills.findings(path, readFileSync(path, "utf8"), before, after, writing),
        catch: (error) => problem(`Cannot read ${path}: ${lineOf(error)}`, "Correct --skills.")
      })
    ).pipe(Effect.map((found) => found.flat()))
  })

const asJson = ({ accepted, changes, skills, traffic }: Text.Report): string =>
  Json.text({
    changes: changes.map((change: Change) => {
      const { consequence: _, reason: _reason, ...shown } = change
      return {
        ...shown,
        line: line(change),
        ...(change.weight === "breaking" ? { accepted: accepted.has(change.id) } : {}),
        ...(traffic === undefined ? {} : { recorded: traffic.ratingOf(change) })
      }
    }),
    ...(traffic === undefined
      ? {}
      : { traffic: { calls: traffic.calls, tools: traffic.tools, skipped: traffic.skipped } }),
    ...(skills === undefined ? {} : { skills })
  })

export const diff = Command.make(
  "diff",
  flags,
  Effect.fnUntraced(function* (options) {
    if (options.env.length > 0 && !options.mcp) return yield* misuse("--env needs --mcp.", "Remove it, or add --mcp.")
    const after = yield* options.mcp
      ? Effect.flatMap(Variables.forServer(options.env), (variables) => Sources.server(options.tools, variables))
      : Sources.files(options.tools)
    const before = yield* Files.lock(options.lock)
    if (before === undefined) {
      if (!options.write) {
        return yield* problem(
          `There is no file ${options.lock}.`,
          "Create it from the tools that callers rely on: toolguard diff … --write"
        )
      }
      yield* Files.write(options.lock, Lock.write(after))
      return yield* Console.error(`${options.lock} written: ${counted(after.size, "tool")}.`)
    }
    if (options.strict && options.skills.length === 0)
      return yield* misuse("--strict needs --skills.", "Add --skills, or remove --strict.")
    const conditions = Option.isSome(options.failIf) ? yield* Conditions.read(countable, options.failIf.value) : []
    if (conditions.length > 0 && options.traffic.length === 0)
      return yield* misuse("--fail-if needs --traffic.", "Add --traffic, or remove --fail-if.")
    const changes = compare(before, after)
    const changesFile = Option.getOrElse(options.changes, () => join(dirname(options.lock), "tools.changes.md"))
    const changelog = yield* Files.changelog(changesFile)
    const breaking = Changelog.partition(changes, Changelog.read(changelog))
    const isAccepting = Option.isSome(options.accept) && breaking.open.length > 0
    if (Option.isSome(options.accept) && options.accept.value.trim() === "") {
      return yield* misuse("--accept has no reason.", `Say why the changes are acceptable: --accept "…"`)
    }
    const report: Text.Report = {
      changes,
      accepted: new Set([...breaking.accepted, ...(isAccepting ? breaking.open : [])].map(({ id }) => id)),
      traffic: yield* rated(before, after, changes, options),
      skills: yield* skillFindings(options.skills, changesFile, before, after)
    }
    if (options.json) yield* Console.log(asJson(report))
    else Text.write(yield* Screen.make(false), report)
    for (const each of Files.withoutReason(changesFile, changelog)) yield* Console.error(each)
    const reason = Option.getOrElse(options.accept, () => "")
    const entries = isAccepting ? Changelog.accept(changelog, breaking.open, reason) : changelog
    if (isAccepting) {
      yield* Files.write(changesFile, entries)
      yield* Console.error(`${counted(breaking.open.length, "breaking change")} accepted in ${changesFile}.`)
    }
    const open = isAccepting ? [] : breaking.open
    if (options.write && open.length === 0) {
      const marked = Changelog.locked(entries, changes)
      if (marked !== entries) yield* Files.write(changesFile, marked)
      yield* Files.write(options.lock, Lock.write(after))
      yield* Console.error(`${options.lock} written: ${counted(after.size, "tool")}.`)
    }
    const stale = (report.skills ?? []).filter(({ kind }) => kind === "stale").length
    if (open.length > 0) {
      return yield* problem(
        `${counted(open.length, "change")} ${open.length === 1 ? "breaks" : "break"} callers${options.write ? "; the lock was not changed" : ""}.`,
        `Undo ${open.length === 1 ? "it" : "them"}, or accept with a reason: toolguard diff … --accept "why"`
      )
    }
    if (stale > 0)
      return yield* problem(
        `${counted(stale, "line")} in skills and prompts ${stale === 1 ? "is" : "are"} stale.`,
        stale === 1 ? "Correct it." : "Correct them."
      )
    const unadvised = (report.skills ?? []).filter(({ kind }) => kind === "advice").length
    if (options.strict && unadvised > 0)
      return yield* problem(
        `${counted(unadvised, "section")} of skills and prompts ${unadvised === 1 ? "does" : "do"} not advise planning before a call that writes.`,
        "Add the advice to the section that names the tool."
      )
    yield* checked(conditions, report.traffic)
    if (!options.json && changes.length === 0) yield* Console.log("Nothing has changed.")
  })
).pipe(
  Command.withShortDescription("Report breaking changes to tools"),
  Command.withDescription(`Compares tools with the lock, tools.lock.json, by what their schemas accept, not by their text.

  Breaking: an accepted call is now refused, or a result may have a value that was not allowed.
  The report shows such a value. A change that can neither be proven nor ruled out counts as
  breaking, with a remark. Behavioural: descriptions, access, annotations, defaults, formats, the
  order of an enum. Safe: everything else.

  The command fails for each breaking change that the changelog, tools.changes.md, does not accept
  with a reason. --accept adds the entries. --write writes the lock if every breaking change is
  accepted.

  --traffic replays recorded calls under the lock and under these tools. The report says for each
  change how many recorded calls it would have broken, with the first of them. --fail-if fails by
  their number or share, also if the changes are accepted. --skills searches the files that describe
  tools to models, and fails for each line that mentions something that was removed or changed. It
  also reports sections that mention a tool that writes but do not advise the model to plan, check
  or ask first; with --strict, it fails for them too.

  Exit codes: 0 nothing breaks; 1 a breaking change is not accepted, a condition of --fail-if
  holds, a skill is stale or, with --strict, lacks advice, or a file cannot be read or written;
  2 the command line is invalid.`),
  Command.withExamples([
    { command: "toolguard diff ./tools.ts --write", description: "Create the lock from the current tools" },
    { command: 'toolguard diff ./tools.ts --skills "skills/**/*.md"', description: "In CI" },
    {
      command: "toolguard diff ./tools.ts --traffic monday.jsonl.gz",
      description: "Rate each change by the recorded calls that it would have broken"
    },
    {
      command: 'toolguard diff ./tools.ts --accept "no caller sends late"',
      description: "Accept the breaking changes"
    },
    { command: "toolguard diff --mcp -- npx some-mcp-server", description: "Compare the tools of a server" }
  ])
)
