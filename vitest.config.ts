/**
 * How the tests run: every `*.test.ts` under `test/`, in as many processes as there are cores.
 *
 * **Gotchas**
 *
 * The files of one process share their modules (`isolate: false`): loading Effect anew for each file would cost more
 * than the tests. A test file leaves no global behind.
 */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Files that take minutes: begun last, one of them would keep a single core busy while the others wait. */
const longest = ["hostile/upstream", "kill/kill", "hostile/mcp", "mcp/http"]

class LongestFirst extends BaseSequencer {
  override async sort(files: ReadonlyArray<TestSpecification>): Promise<Array<TestSpecification>> {
    const isLong = ({ moduleId }: TestSpecification) => longest.some((name) => moduleId.endsWith(`${name}.test.ts`))
    const sorted = await super.sort([...files])
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**"],
    pool: "forks",
    isolate: false,
    maxWorkers: "100%",
    // commands that tests start load hundreds of modules: what Node compiled of them is kept
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url)) },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    watch: false
  }
})
