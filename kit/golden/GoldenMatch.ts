/**
 * Compares a run with its golden file, which contains the expected calls and their arguments.
 *
 * **Details**
 *
 * - If the file does not exist, the run is recorded. In CI the file must exist, unless `update` is set.
 * - A failed call and its repair count as one call: the repair. The calls of a round may come in any order.
 * - The comparison ignores arguments that a tool's parameters mark as `volatile` (pass `tools`), the paths in the file's
 *   `ignore`, and the `idempotency_key` of a model. Secrets are redacted before they are written.
 * - With `update` or `TOOLGUARD_UPDATE=1`, differences are written to the file. All other content of the file is kept.
 */
import * as PrivateFile from "effect-toolguard/internal/layers/stores/PrivateFile"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import type { Toolbox } from "effect-toolguard/internal/tool/Toolbox"
import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { ComparisonResult } from "./Comparison.ts"
import * as DifferenceText from "./DifferenceText.ts"
import * as Runs from "./Runs.ts"
import * as Sequence from "./Sequence.ts"
import { verify } from "./Verification.ts"

/** The options of `matchGolden`. */
export interface GoldenOptions {
  /** The name of the scenario in a new file. Default: the file's name. */
  readonly scenario?: string
  /** Paths that a new file ignores, such as `search_orders.cursor` or `*.request_id`. */
  readonly ignore?: ReadonlyArray<string>
  /** The tools, whose parameters may mark fields as volatile. */
  readonly tools?: Pick<Toolbox<AnyTool>, "tools">
  /** Whether to write differences to the file. Default: whether `TOOLGUARD_UPDATE` is set. */
  readonly update?: boolean
}

/** The calls of the run differ from the expected calls. */
export class GoldenMismatch extends Data.TaggedError("GoldenMismatch")<{
  readonly file: string
  readonly scenario: string
  readonly compared: ComparisonResult
}> {
  override get message(): string {
    const { compared, file, scenario } = this
    return `${DifferenceText.text(scenario, compared)}\nIf the run is correct, set TOOLGUARD_UPDATE=1 to write it to ${file}.`
  }
}

/**
 * The golden file is missing, damaged, or cannot be read or written, or the run cannot be compared: its records have no
 * arguments, or belong to several conversations.
 */
export class GoldenUnusable extends Data.TaggedError("GoldenUnusable")<{
  readonly file: string
  readonly detail: string
  readonly remedy: string
}> {
  override get message(): string {
    return `${this.detail}\n${this.remedy}`
  }
}

/**
 * Compares a run with its golden file. Returns `same`, or whether the file was `recorded` or `updated`.
 */
export const matchGolden = (
  file: string,
  run: Runs.Run,
  options: GoldenOptions = {}
): Effect.Effect<"same" | "recorded" | "updated", GoldenMismatch | GoldenUnusable, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const scenario = options.scenario ?? nameOf(file)
    const found = Runs.conversation(run)
    if (Result.isFailure(found)) return yield* unusable(file, ...found.failure)
    const verified = verify(yield* read(file), Sequence.of(found.success), {
      scenario,
      isCi: yield* isSet("CI"),
      isUpdate: options.update ?? (yield* isSet("TOOLGUARD_UPDATE")),
      tools: options.tools?.tools,
      ...(options.ignore === undefined ? {} : { ignore: options.ignore })
    })
    switch (verified._tag) {
      case "Same":
        return "same"
      case "Differs":
        return yield* new GoldenMismatch({ file, scenario, compared: verified.compared })
      case "Missing":
        return yield* unusable(
          file,
          `The golden file ${file} does not exist, and golden files are not recorded in CI.`,
          "Run the test locally, and commit the file."
        )
      case "Unreadable":
        return yield* unusable(
          file,
          `${file} is not a valid golden file: ${verified.detail}`,
          "Correct it, or delete it to record it again."
        )
      default:
        yield* write(file, verified.text)
        return verified._tag === "Recorded" ? "recorded" : "updated"
    }
  })

const unusable = (file: string, detail: string, remedy: string): GoldenUnusable =>
  new GoldenUnusable({ file, detail, remedy })

/** Returns the index at which the file name starts in a path, on Windows too. */
const nameAt = (file: string): number => Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1

const nameOf = (file: string): string => file.slice(nameAt(file)).replace(/(?:\.golden)?\.json$/u, "")

/** True if an environment variable is set, and its value is not empty, `0`, `false`, `no` or `off`. */
export const isSet = (name: string): Effect.Effect<boolean> =>
  Effect.map(
    Effect.orElseSucceed(Config.option(Config.String(name)), () => Option.none<string>()),
    Option.match({ onNone: () => false, onSome: (value) => !/^(?:|0|false|no|off)$/iu.test(value) })
  )

const read = (file: string): Effect.Effect<string | undefined, GoldenUnusable, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(file)).pipe(
    Effect.catch((error) =>
      error.reason._tag === "NotFound"
        ? Effect.succeed(undefined)
        : Effect.fail(unusable(file, `Cannot read ${file}: ${error.message}`, "Give this user permission to read it."))
    )
  )

const write = (file: string, text: string): Effect.Effect<void, GoldenUnusable, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const folder = file.slice(0, Math.max(0, nameAt(file) - 1))
    if (folder !== "") yield* files.makeDirectory(folder, { recursive: true, mode: PrivateFile.folderMode })
    yield* files.writeFileString(file, text, { mode: PrivateFile.mode })
  }).pipe(
    Effect.mapError((error) =>
      unusable(file, `Cannot write ${file}: ${error.message}`, "Choose a file in a writable folder.")
    )
  )
