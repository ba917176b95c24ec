/** Reads the flag `--advise`, which names tools that only report violations, and returns the command that sets it. */
import { nearest } from "effect-toolguard/internal/domain/text/NearestName"
import type { ContractOptions } from "#kit/replay/Contracts"
import { all, quoted, valueOf } from "#kit/report/AdvisedTools"
import type { Conversation } from "#kit/traffic/Conversation"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import { misuse, type Problem } from "#kit/cli/console/Problem"

const name = "advise"

/** Matches a file of recorded traffic, or a call in one, which the flag reads if its tools are left out. */
const place = /^-$|\.(?:jsonl?|ndjson|gz)(?::\d+)?(?:#\d+)?$/i

/**
 * The flag for reporting violations of schemas without refusing calls, for some tools or for all. List it before the
 * arguments of a command: if it has read the only argument, its message is the one that helps.
 */
export const flag = Flag.String(name).pipe(
  Flag.withMetavar("<tools>"),
  Flag.withDescription(
    `Tools that only report arguments and results that violate their schemas, separated by commas, or ${all}; repeatable. Default: none`
  ),
  Flag.filter(
    (value) => !place.test(value),
    (value) => `Expected names of tools instead of a file. Type: ${commandFor(process.argv.slice(2), value)}`
  ),
  Flag.atLeast(0)
)

type Advised = NonNullable<ContractOptions["advise"]>

/** Reads the values of the flag. */
export const read = (values: ReadonlyArray<string>): Effect.Effect<Advised, Problem> => {
  const names = values.flatMap((value) => value.split(",")).map((value) => value.trim())
  if (names.includes("")) {
    return misuse(`--${name} names a tool without a name.`, `Separate the tools by commas, or pass --${name} ${all}.`)
  }
  return Effect.succeed(names.includes(all) ? all : new Set(names))
}

/** Notes which tools occur in a log, to find the names that no tool has. */
export interface Occurrences {
  readonly add: (conversation: Conversation) => void
  /** Returns whether all names have occurred, so that `check` succeeds. */
  readonly isComplete: () => boolean
  /** Fails if no tool has one of the names. */
  readonly check: Effect.Effect<void, Problem>
}

/** The maximum number of tools of the log that are kept to find the one that was meant. */
const mostKnown = 2_000

/** Creates a search for the advised tools. `known` are the names of the tools that are not from the log. */
export const occurrences = (advised: Advised, known: Iterable<string>): Occurrences => {
  const missing = new Set(advised === all ? [] : advised)
  const names = new Set<string>()
  const note = (tool: string): void => {
    missing.delete(tool)
    if (names.size < mostKnown) names.add(tool)
  }
  for (const tool of known) note(tool)
  return {
    add: ({ messages, tools }) => {
      if (missing.size === 0) return
      for (const tool of tools) note(tool.name)
      for (const message of messages)
        if (message.role === "assistant") for (const call of message.calls) note(call.name)
    },
    isComplete: () => missing.size === 0,
    check: Effect.suspend(() => {
      const [first] = missing
      if (first === undefined) return Effect.void
      const meant = nearest(first, names, 3)
      return misuse(
        `--${name} names ${first}, and the log has no such tool.`,
        meant.length === 0 ? `Name a tool of the log, or pass --${name} ${all}.` : `Did you mean ${meant.join(" or ")}?`
      )
    })
  }
}

/** Returns the words of a command line without the flag, and the values of the flag. */
const without = (words: ReadonlyArray<string>): { readonly rest: ReadonlyArray<string>; readonly values: string } => {
  const rest: Array<string> = []
  const values: Array<string> = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ""
    if (word === `--${name}`) values.push(words[(at += 1)] ?? "")
    else if (word.startsWith(`--${name}=`)) values.push(word.slice(name.length + 3))
    else rest.push(word)
  }
  return { rest, values: values.join(",") }
}

/** Returns the command line that was meant by one whose flag has read a file. `words` are the arguments of `toolguard`. */
export const commandFor = (words: ReadonlyArray<string>, file: string): string => {
  const { rest, values } = without(words)
  const named = values.split(",").filter((value) => !place.test(value))
  return ["toolguard", ...rest, file, `--${name}`, valueOf(named.length === 0 ? [all] : named)].map(quoted).join(" ")
}

/**
 * Returns a command line with more tools that only advise, to be pasted into a shell. `words` are the arguments of
 * `toolguard`.
 */
export const commandWith = (words: ReadonlyArray<string>, tools: ReadonlyArray<string>): string => {
  const { rest, values } = without(words)
  const value = valueOf([...(values === "" ? [] : values.split(",")), ...tools])
  return ["toolguard", ...rest, `--${name}`, value].map(quoted).join(" ")
}
