/** Starts suites of the agent again, with another engine: see `test/agent/engine.ts`. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "./sources.ts"

interface Report {
  readonly numPassedTests: number
  readonly testResults: ReadonlyArray<{
    readonly assertionResults: ReadonlyArray<{ readonly status: string; readonly fullName: string }>
  }>
}

/** How many tests passed, and which failed. Those whose name has one of the words in `others` are left out. */
export const failuresOf = (
  engine: string,
  suites: ReadonlyArray<string>,
  others: ReadonlyArray<string>
): { readonly passed: number; readonly failed: ReadonlyArray<string> } => {
  const folder = mkdtempSync(join(tmpdir(), "toolguard-suites-"))
  const outputFile = join(folder, "report.json")
  const files = suites.map((name) => `test/agent/${name}.test.ts`)
  const names = `^((?!${others.join("|")}).)*$`
  const { status } = spawnSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", ...files, "--reporter=json", `--outputFile=${outputFile}`, "-t", names],
    { cwd: root, env: { ...process.env, AGENT_ENGINE: engine }, stdio: "ignore" }
  )
  const { numPassedTests, testResults } = JSON.parse(readFileSync(outputFile, "utf8")) as Report
  rmSync(folder, { recursive: true })
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === "failed").map(({ fullName }) => fullName)
  )
  return {
    passed: numPassedTests,
    failed: status === 0 || failed.length > 0 ? failed : [`vitest ended with ${status}`]
  }
}
