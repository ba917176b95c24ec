/**
 * The order in which test files start: the slowest long files first, then the rest in the order of Vitest.
 *
 * Vitest knows how long a file takes only after it has run, and a fresh clone has no such record. It then starts large files first,
 * so that a short file with slow tests may start last, and the other workers wait for it.
 */
import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { root } from "./sources.ts"

/** The files that take more than a minute on two cores, the slowest first. */
export const slowFiles: ReadonlyArray<string> = [
  "test/hostile/upstream.long.test.ts",
  "test/wire/closedByDefault.long.test.ts",
  "test/kit/proxy/proxy.long.test.ts",
  "test/kill/kill.long.test.ts",
  "test/kit/cli/replay/replay.long.test.ts",
  "test/bench/told.long.test.ts",
  "test/simulate/simulate.long.test.ts",
  "test/mcp/http.long.test.ts",
  "test/pause/pause.long.test.ts",
  "test/package.long.test.ts",
  "test/hostile/commands.long.test.ts",
  "test/hostile/mcp.long.test.ts",
  "test/hostile/floods.long.test.ts",
  "test/hostile/models.long.test.ts",
  "test/kit/cli/fuzz/fuzz.long.test.ts",
  "test/durable/processes.long.test.ts"
]

/** Moves the slow files to the front and keeps the order of the others. `pathOf` returns a path relative to the root. */
export const slowestFirst = <File>(files: ReadonlyArray<File>, pathOf: (file: File) => string): Array<File> => {
  const rank = (file: File): number => {
    const index = slowFiles.indexOf(pathOf(file))
    return index === -1 ? slowFiles.length : index
  }
  return [...files].sort((a, b) => rank(a) - rank(b))
}

export class SlowestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return slowestFirst(await super.sort(files), ({ moduleId }) => relative(root, moduleId).replaceAll("\\", "/"))
  }
}
