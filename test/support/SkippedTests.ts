/**
 * A reporter that prints, after all tests, why tests were skipped: each reason, with its groups and their numbers of tests.
 * After the quick tests it also names the command that runs the long tests. It prints nothing if tests are filtered by name.
 */
import { globSync } from "node:fs"
import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node"

/** Returns the file and the name of the outermost skipped suite, or of the test if no suite is skipped. */
const groupOf = (test: TestCase): string => {
  let group = test.name
  for (let at = test.parent; at.type === "suite"; at = at.parent) if (at.options.mode === "skip") group = at.name
  return `${test.module.relativeModuleId}: ${group}`
}

/** Returns the numbers of skipped tests, by reason and by group. */
const skipped = (modules: ReadonlyArray<TestModule>): ReadonlyMap<string, ReadonlyMap<string, number>> => {
  const reasons = new Map<string, Map<string, number>>()
  for (const test of modules.flatMap((module) => [...module.children.allTests("skipped")])) {
    const result = test.result()
    const reason = test.meta().skipped ?? (result.state === "skipped" ? result.note : undefined) ?? "no reason is given"
    const groups = reasons.get(reason) ?? new Map<string, number>()
    reasons.set(reason, groups.set(groupOf(test), (groups.get(groupOf(test)) ?? 0) + 1))
  }
  return reasons
}

const tests = (count: number): string => `${count} test${count === 1 ? "" : "s"}`

/** Returns the lines of the summary. */
export const summary = (modules: ReadonlyArray<TestModule>): ReadonlyArray<string> =>
  [...skipped(modules)].flatMap(([reason, groups]) => [
    `Skipped: ${tests([...groups.values()].reduce((sum, count) => sum + count, 0))}, because ${reason}`,
    ...[...groups].map(([group, count]) => `  ${group} (${tests(count)})`)
  ])

export class SkippedTests implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const { config, logger, projects } = this.#vitest ?? {}
    if (config?.testNamePattern !== undefined) return // a filter skips nearly everything
    const lines = [...summary(modules)]
    if (projects?.length === 1 && projects[0]?.name === "quick") {
      const long = globSync("test/**/*.long.test.ts", { exclude: (path) => path.includes("node_modules") }).length
      lines.push(`Not run: ${long} files of long tests. npm run test:long runs them.`)
    }
    if (lines.length > 0) logger?.log(`${lines.join("\n")}\n`)
  }
}
