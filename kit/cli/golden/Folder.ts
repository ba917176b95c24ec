/** Reads and writes the golden files of a folder, by scenario. */
import * as GoldenFile from "#kit/golden/GoldenFile"
import * as PrivateFile from "effect-toolguard/internal/layers/stores/PrivateFile"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { hash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { lineOf, type Problem, problem } from "#kit/cli/console/Problem"

const extension = ".golden.json"

interface Golden {
  readonly file: string
  readonly text: string
}

/** The golden files of a folder. */
export interface Folder {
  readonly find: (scenario: string) => Golden | undefined
  readonly scenarios: ReadonlyArray<string>
  /** Writes the file of a scenario, creates it if necessary, and returns its path. */
  readonly write: (scenario: string, text: string) => Effect.Effect<string, Problem>
}

/** Reads a folder. A folder that does not exist counts as empty. */
export const open = (folder: string): Effect.Effect<Folder, Problem> =>
  Effect.gen(function* () {
    const known = new Map<string, Golden>()
    for (const name of yield* namesOf(folder)) {
      const file = join(folder, name)
      const text = yield* attempt(() => readFileSync(file, "utf8"), file)
      const golden = GoldenFile.read(text)
      if (Result.isFailure(golden)) {
        return yield* problem(
          `${file} is not a golden file: ${golden.failure}`,
          "Correct it, or delete it to record it again."
        )
      }
      const { scenario } = golden.success
      const other = known.get(scenario)
      if (other !== undefined) {
        return yield* problem(
          `${other.file} and ${file} are both for the scenario "${scenario}".`,
          "Delete one of them."
        )
      }
      known.set(scenario, { file, text })
    }
    const taken = new Set([...known.values()].map(({ file }) => file.toLowerCase()))
    return {
      find: (scenario) => known.get(scenario),
      scenarios: [...known.keys()],
      write: (scenario, text) => {
        const file = known.get(scenario)?.file ?? freeName(folder, scenario, taken)
        taken.add(file.toLowerCase())
        known.set(scenario, { file, text })
        return Effect.as(
          attempt(() => replace(folder, file, text), file, "Cannot write"),
          file
        )
      }
    }
  })

const namesOf = (folder: string): Effect.Effect<ReadonlyArray<string>, Problem> => {
  if (!existsSync(folder)) return Effect.succeed([])
  if (!statSync(folder).isDirectory()) {
    return Effect.fail(problem(`${folder} is not a folder.`, "Name the folder of the golden files: --dir FOLDER."))
  }
  return attempt(
    () =>
      readdirSync(folder)
        .filter((name) => name.endsWith(extension))
        .toSorted(),
    folder
  )
}

/** Returns a file name that contains the scenario's name and is not taken, even on file systems that ignore case. */
const freeName = (folder: string, scenario: string, taken: ReadonlySet<string>): string => {
  const plain = scenario
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")
    .replaceAll(/^[.-]+|-+$/gu, "")
    .slice(0, 80)
  const path = join(folder, `${plain === "" ? "scenario" : plain}${extension}`)
  return taken.has(path.toLowerCase())
    ? join(folder, `${plain}-${hash("sha256", scenario, "hex").slice(0, 8)}${extension}`)
    : path
}

/** Replaces a file by renaming a temporary file, because a partly written golden file would fail every run. */
const replace = (folder: string, file: string, text: string): void => {
  PrivateFile.createFolder(folder)
  PrivateFile.replace(file, text)
}

const attempt = <A>(run: () => A, path: string, what = "Cannot read"): Effect.Effect<A, Problem> =>
  Effect.try({
    try: run,
    catch: (error) => problem(`${what} ${path}: ${lineOf(error)}`, "Check its permissions, or choose another folder.")
  })
