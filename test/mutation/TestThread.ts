/**
 * Runs test files with Vitest's own test loop, in a thread without Vite. The sources and Effect are loaded once per
 * thread, and the test files are loaded again for each run. The thread runs one request at a time.
 *
 * **Gotchas**
 *
 * Vitest does not export its loop. The loop is therefore looked up by name in Vitest's files.
 */
import { readdirSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parentPort, workerData } from "node:worker_threads"
import { createExpect } from "vitest"

/** A request to run tests in a thread. */
export interface Request {
  readonly files: ReadonlyArray<string>
  /** The ids of the tests to run. All tests if absent. */
  readonly tests?: ReadonlySet<string> | undefined
  readonly mutant?: string | undefined
  readonly hitLimit?: number | undefined
  /** Whether the first failed test ends the run. */
  readonly bail: boolean
}

/** A test that ran: the form of Stryker's results. */
export interface TestResult {
  readonly id: string
  readonly name: string
  readonly timeSpentMs: number
  readonly fileName: string
  readonly startPosition?: { readonly line: number; readonly column: number }
  /** 0: passed, 1: failed. */
  readonly status: 0 | 1
  readonly failureMessage?: string
}

/** The answer of a thread. */
export interface Answer {
  readonly tests: ReadonlyArray<TestResult>
  /** Failures outside of tests: of a module, a hook, or a rejected promise that nothing awaits. */
  readonly errors: ReadonlyArray<string>
  /** Which tests reach which mutants. */
  readonly coverage: unknown
  readonly hits: number
}

/** The part of Vitest's tasks that is used here. */
interface Task {
  readonly type: "test" | "suite"
  readonly name: string
  mode: string
  readonly suite?: Task
  readonly file: Task & { readonly filepath: string }
  readonly tasks: ReadonlyArray<Task>
  readonly location?: { readonly line: number; readonly column: number }
  readonly result?: {
    readonly state?: string
    readonly duration?: number
    readonly errors?: ReadonlyArray<{ readonly message?: string }>
  }
}

interface Stryker {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number
  hitLimit?: number | undefined
  mutantCoverage?: unknown
}

const { root } = workerData as { readonly root: string }
const port = parentPort! // this module runs in a thread only
const stryker = ((globalThis as { __stryker__?: Stryker }).__stryker__ ??= {})

const chunks = join(dirname(fileURLToPath(import.meta.resolve("vitest"))), "chunks")
const exported: Array<unknown> = []
for (const file of readdirSync(chunks).filter((name) => /^run\..*\.js$/.test(name)))
  exported.push(...Object.values((await import(pathToFileURL(join(chunks, file)).href)) as object))
const startTests = exported.find((value) => typeof value === "function" && value.name === "startTests") as (
  files: ReadonlyArray<string>,
  runner: object
) => Promise<ReadonlyArray<Task>>

const names = (task: Task): ReadonlyArray<string> =>
  task.suite === undefined || task.suite.name === "" ? [task.name] : [...names(task.suite), task.name]

const idOf = (task: Task): string => `${relative(root, task.file.filepath)}#${names(task).join(" > ")}`

/** Skips the tests that were not requested, and the suites without a requested test. Returns whether the task remains. */
const select = (task: Task, tests: ReadonlySet<string>): boolean => {
  const isSelected =
    task.type === "test" ? tests.has(idOf(task)) : task.tasks.map((each) => select(each, tests)).some(Boolean)
  if (!isSelected) task.mode = "skip"
  return isSelected
}

let errors: Array<string> = []
const record = (error: unknown) => errors.push(error instanceof Error ? error.message : String(error))
process.on("unhandledRejection", record)
process.on("uncaughtException", record)

let runs = 0

const run = async ({ bail, files, hitLimit, mutant, tests }: Request): Promise<Answer> => {
  const results: Array<TestResult> = []
  const query = runs === 0 ? "" : `?run=${runs}` // the first run keeps the paths, in which Vitest looks for positions
  runs++
  errors = []
  let isOver = false
  const runner = {
    config: {
      root,
      name: "",
      setupFiles: [],
      sequence: { hooks: "stack", setupFiles: "parallel" },
      maxConcurrency: 1,
      testTimeout: 300_000,
      hookTimeout: 300_000,
      retry: 0,
      allowOnly: true,
      passWithNoTests: true,
      includeTaskLocation: runs === 1,
      tags: []
    },
    pool: "threads",
    viteEnvironment: "node",
    importFile: (path: string) => import(`${pathToFileURL(path).href}${query}`),
    extendTaskContext: (context: { task: never }) => {
      Object.defineProperty(context, "expect", { get: () => createExpect(context.task) })
      return context
    },
    onCollected: (collected: ReadonlyArray<Task>) => {
      if (tests !== undefined) for (const file of collected) select(file, tests)
    },
    onBeforeRunFiles: () => {
      stryker.hitCount = 0
      stryker.hitLimit = hitLimit
      stryker.activeMutant = mutant
    },
    onBeforeRunTask: (task: Task) => {
      if (isOver) task.mode = "skip"
      else port.postMessage({ started: idOf(task) })
    },
    onBeforeTryTask: (task: Task) => {
      stryker.currentTestId = idOf(task)
    },
    onAfterRunTask: (task: Task) => {
      stryker.currentTestId = undefined
      const { duration = 0, errors: failures, state } = task.result ?? {}
      if (state !== "pass" && state !== "fail") return
      isOver = bail && state === "fail"
      results.push({
        id: idOf(task),
        name: names(task).join(" > "),
        timeSpentMs: duration,
        fileName: task.file.filepath,
        ...(task.location === undefined
          ? {}
          : { startPosition: { line: task.location.line - 1, column: task.location.column - 1 } }),
        ...(state === "pass" ? { status: 0 } : { status: 1, failureMessage: failures?.[0]?.message ?? "unknown" })
      })
    }
  }
  for (const file of files) {
    if (isOver) break
    const collected = await startTests([file], runner)
    stryker.activeMutant = undefined
    const failed = (task: Task): ReadonlyArray<string> =>
      task.type === "test"
        ? []
        : [...(task.result?.errors ?? []).map(({ message }) => message ?? ""), ...task.tasks.flatMap(failed)]
    errors.push(...collected.flatMap(failed))
  }
  return { tests: results, errors, coverage: stryker.mutantCoverage, hits: stryker.hitCount ?? 0 }
}

port.on("message", (request: Request) => {
  run(request).then(
    (answer) => port.postMessage({ answer }),
    (error: unknown) =>
      port.postMessage({ answer: { tests: [], errors: [String(error)], coverage: undefined, hits: 0 } })
  )
})
