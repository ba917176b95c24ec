/**
 * How Stryker runs the quick tests: in one process, with the tests of the room's own folder first, because the first test
 * that fails ends the run of a mutant.
 */
import { relative, sep } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const own = `test/${process.env["MUTATED_ROOM"] ?? ""}/`

const isOwn = ({ moduleId }: TestSpecification): boolean =>
  relative(process.cwd(), moduleId).split(sep).join("/").startsWith(own)

class OwnTestsFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return files.sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || (a.moduleId < b.moduleId ? -1 : 1))
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/**/*.long.test.ts", "**/node_modules/**"],
    isolate: false,
    sequence: { sequencer: OwnTestsFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
