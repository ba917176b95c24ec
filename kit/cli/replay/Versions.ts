/** Loads the versions of tools that `--tools` and `--against` name: modules of guarded tools, or JSON lists of tools. */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import type { ContractOptions } from "#kit/replay/Contracts"
import type * as Comparison from "#kit/report/Comparison"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { existsSync, realpathSync } from "node:fs"
import { extname } from "node:path"
import * as LoadTools from "#kit/cli/console/LoadTools"
import { misuse, problem, type Problem } from "#kit/cli/console/Problem"

/** One version of the tools. */
interface Version {
  readonly options: Pick<ContractOptions, "listed" | "removed" | "tools">
  readonly names: ReadonlySet<string>
}

/** The version that is reported, and the version that it is compared with. */
interface Versions {
  /** `undefined` if the log's own tools are reported. */
  readonly first: Version | undefined
  readonly second: (Version & Pick<Comparison.Versions, "added" | "after" | "before" | "tools">) | undefined
}

const list = (path: string): Effect.Effect<Version, Problem> =>
  Effect.gen(function* () {
    // the reader of lists is loaded only if a version is a list
    const { json } = yield* Effect.promise(() => import("#kit/cli/lint/Sources"))
    const { tools, unreadable } = (yield* json(path)).listing
    const [first] = unreadable
    if (first !== undefined) {
      const at = JsonPointer.format(first.pointer)
      return yield* problem(`${path}: ${at} is not a tool: ${first.reason}.`, "Correct the list.")
    }
    if (tools.length === 0) return yield* problem(`${path} lists no tools.`, "Pass a list with at least one tool.")
    const listed = tools.map(({ access, description, name, parameters, result }) => ({
      name,
      description,
      parameters: Fields.of(parameters),
      ...(isJsonObject(result) ? { result } : {}),
      ...(access === undefined ? {} : { access })
    }))
    return { options: { listed }, names: new Set(listed.map(({ name }) => name)) }
  })

const load = (path: string, flag: string): Effect.Effect<Version, Problem> =>
  extname(path).toLowerCase() === ".json"
    ? list(path)
    : Effect.map(LoadTools.load(path, flag), (tools) => ({ options: { tools }, names: new Set(tools.keys()) }))

const isSame = (one: string, other: string): boolean =>
  one === other || (existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other))

/**
 * Loads both versions. Tools that only the first version has are removed from the second. Fails if both are the same
 * file, because nothing can differ.
 */
export const read = ({
  against,
  tools
}: {
  readonly tools: Option.Option<string>
  readonly against: Option.Option<string>
}): Effect.Effect<Versions, Problem> =>
  Effect.gen(function* () {
    const [one, other] = [Option.getOrUndefined(tools), Option.getOrUndefined(against)]
    if (one !== undefined && other !== undefined && other !== "" && isSame(one, other)) {
      return yield* misuse(
        `--tools and --against both name ${other}, so nothing can differ.`,
        "Name the other version with --against, such as a copy of the file at the last release."
      )
    }
    const first = one === undefined ? undefined : yield* load(one, "--tools")
    if (other === undefined) return { first, second: undefined }
    const second = yield* load(other, "--against")
    const names = first?.names ?? new Set<string>()
    const removed = new Set([...names].filter((name) => !second.names.has(name)))
    return {
      first,
      second: {
        ...second,
        options: { ...second.options, removed },
        before: one ?? "the log",
        after: other,
        tools: new Set([...names, ...second.names]),
        added: [...second.names].filter((name) => !names.has(name))
      }
    }
  })

/** The problem of a log without calls of the tools of both versions. */
export const withoutCalls = ({ after, before }: Comparison.Comparison): Problem =>
  problem(
    `The log has no call of a tool of ${before === "the log" ? after : `${before} or ${after}`}, so nothing was compared.`,
    "Pass a log in which the model calls these tools."
  )
