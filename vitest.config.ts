/**
 * How the tests run: three projects, in as many processes as there are cores, and in half
 * as many more for long tests.
 *
 * - `architecture` (a part of `npm run check`): who imports whom, and which exports have no importer.
 * - `quick` (`npm test`): what needs nothing but this repository and takes less than seconds.
 * - `long` (`npm run test:long`): files that end in `.long.test.ts`. They start processes, need servers, recorded data,
 *   a browser or packages of other projects, or take many seconds.
 *
 * **Gotchas**
 *
 * Time limits are for tests that hang: a machine with other work to do takes several times as long. No test asserts how
 * long something takes.
 *
 * The files of one process share their modules (`isolate: false`): loading Effect again for each file would take longer
 * than the tests. A test file leaves no global behind.
 */
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { SlowestFirst } from "./test/support/SlowestFirst.ts"
import { SkippedTests } from "./test/support/SkippedTests.ts"

const long = "test/**/*.long.test.ts"
const architecture = "test/architecture.test.ts"
const notOurs = "**/node_modules/**"

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "architecture", include: [architecture] } },
      {
        extends: true,
        test: { name: "quick", include: ["test/**/*.test.ts"], exclude: [long, architecture, notOurs] }
      },
      {
        extends: true,
        test: {
          name: "long",
          include: [long],
          exclude: [notOurs],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // these tests wait for processes and time limits for about a third of their time
          maxWorkers: Math.ceil(availableParallelism() * 1.5)
        }
      }
    ],
    reporters: ["default", new SkippedTests()],
    sequence: { sequencer: SlowestFirst },
    pool: "forks",
    isolate: false,
    maxWorkers: "100%",
    // calls of the guard allocate many objects that live briefly: with more room for them, Node collects them less often
    execArgv: ["--max-semi-space-size=64"],
    // commands that tests start load hundreds of modules: what Node compiled of them is kept
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url)) },
    setupFiles: [fileURLToPath(new URL("test/support/strictErrors.ts", import.meta.url))],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    watch: false
  }
})
