/**
 * A test runner for Stryker that keeps its modules between mutants.
 *
 * Stryker's runner for Vitest starts a process for each mutant, which loads Effect and the sources again. This runner
 * switches the mutant in a thread that keeps both loaded, so that a mutant takes milliseconds. Modules keep caches,
 * so each result is confirmed:
 *
 * - a failed test must pass without the mutant in the same thread; otherwise the mutant runs again in a new thread,
 * - a mutant that survives must survive the tests that take little time in a new thread too.
 */
import { relative, resolve } from "node:path"
import { Worker } from "node:worker_threads"
import type { Answer, Request } from "./TestThread.ts"

/** A test that runs this much longer on a mutant than ten times its run without mutants counts as endless. */
const loopMillis = 5_000

/** Tests that took less than this without mutants run first. */
const quickMillis = 25

/** The number of runs after which a thread is replaced, because each run loads test files that are never freed. */
const runsPerThread = 400

/** A thread that runs tests. It is unusable once a test has exceeded its limit. */
class Thread {
  readonly #worker: Worker
  runs = 0
  constructor(root: string) {
    this.#worker = new Worker(new URL("TestThread.ts", import.meta.url), {
      workerData: { root },
      stdout: true,
      stderr: true
    })
    this.#worker.stdout.resume()
    this.#worker.stderr.resume()
  }

  /** Runs tests. The result is `undefined` if a test exceeds its limit; then the thread is unusable. */
  run(request: Request, limitMillis: (test: string) => number): Promise<Answer | undefined> {
    this.runs++
    return new Promise((done, fail) => {
      let timer: NodeJS.Timeout | undefined
      const end = (result: Answer | undefined) => {
        clearTimeout(timer)
        this.#worker.off("message", listen)
        this.#worker.off("error", fail)
        done(result)
      }
      const listen = (message: { readonly started?: string; readonly answer?: Answer }) => {
        if (message.answer !== undefined) return end(message.answer)
        clearTimeout(timer)
        const { started } = message
        if (request.mutant !== undefined && started !== undefined)
          timer = setTimeout(() => end(undefined), limitMillis(started))
      }
      this.#worker.on("message", listen)
      this.#worker.on("error", fail)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      this.#worker.postMessage(request)
    })
  }

  end(): Promise<unknown> {
    return this.#worker.terminate()
  }
}

/** The parts of Stryker's interface that are used here. */
interface DryRun {
  readonly testFiles?: ReadonlyArray<string>
}
interface MutantRun {
  readonly testFilter?: ReadonlyArray<string>
  readonly hitLimit?: number
  readonly activeMutant: { readonly id: string }
}

type Result =
  | {
      readonly status: "killed"
      readonly killedBy: ReadonlyArray<string>
      readonly failureMessage: string
      readonly nrOfTests: number
    }
  | { readonly status: "survived"; readonly nrOfTests: number }
  | { readonly status: "timeout" | "error"; readonly reason?: string; readonly errorMessage?: string }

export class ThreadRunner {
  readonly #root = process.cwd()
  readonly #own = `test/${process.env["MUTATED_ROOM"] ?? ""}/`
  /** Whether a mutant that survives must survive in a new thread too. */
  readonly #confirms = process.env["MUTANTS_UNCONFIRMED"] === undefined
  /** How many mutants a file of tests has killed. */
  readonly #kills = new Map<string, number>()
  /** The milliseconds that each test took without mutants. */
  #millis: ReadonlyMap<string, number> = new Map()
  #thread: Thread | undefined

  capabilities() {
    return { reloadEnvironment: true }
  }

  async dryRun({ testFiles = [] }: DryRun) {
    const thread = this.#current()
    const files = testFiles.map((path) => resolve(this.#root, path))
    const answer = await thread.run({ files, bail: false }, this.#limit)
    this.#millis = new Map(answer?.tests.map(({ id, timeSpentMs }) => [id, timeSpentMs]))
    if (answer === undefined || answer.errors.length > 0)
      return { status: "error", errorMessage: answer?.errors.join("\n") }
    return { status: "complete", tests: answer.tests, mutantCoverage: answer.coverage }
  }

  async mutantRun({ activeMutant, hitLimit, testFilter = [] }: MutantRun): Promise<Result> {
    const isWarm = (this.#thread?.runs ?? 0) > 0
    const isSlow = (id: string) => (this.#millis.get(id) ?? 0) > quickMillis
    const slow = testFilter.filter(isSlow)
    const quick = testFilter.filter((id) => !isSlow(id))
    const first = () => this.#judge(this.#request(quick, activeMutant.id, hitLimit))
    const second = (before: Result) =>
      before.status === "survived" && slow.length > 0
        ? this.#judge(this.#request(slow, activeMutant.id, hitLimit), before.nrOfTests)
        : before
    const result = await second(await first())
    if (!isWarm || result.status === "timeout" || (result.status === "survived" && !this.#confirms)) return result
    if (result.status === "killed" && (await this.#passes(result.killedBy))) return result
    await this.#renew()
    const confirmed = await first()
    return result.status === "survived" && confirmed.status === "survived" ? result : second(confirmed)
  }

  async dispose() {
    await this.#renew()
  }

  /** Returns the milliseconds after which a test counts as endless. */
  readonly #limit = (test: string): number => loopMillis + 10 * (this.#millis.get(test) ?? 0)

  #current(): Thread {
    return (this.#thread ??= new Thread(this.#root))
  }

  async #renew(): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    await thread?.end()
  }

  /** Returns a request for tests. The files that killed the most mutants come first. */
  #request(ids: ReadonlyArray<string>, mutant: string | undefined, hitLimit?: number): Request {
    const files = [...new Set(ids.map((id) => id.slice(0, id.indexOf("#"))))]
    const rank = (file: string) => (this.#kills.get(file) ?? 0) + (file.startsWith(this.#own) ? 0.5 : 0)
    files.sort((a, b) => rank(b) - rank(a) || (a < b ? -1 : 1))
    return { files: files.map((path) => resolve(this.#root, path)), tests: new Set(ids), mutant, hitLimit, bail: true }
  }

  /** Returns whether tests that failed on a mutant pass without the mutant in the same thread. */
  async #passes(ids: ReadonlyArray<string>): Promise<boolean> {
    const answer = await this.#current().run(this.#request(ids, undefined), this.#limit)
    return answer !== undefined && answer.errors.length === 0 && answer.tests.every(({ status }) => status === 0)
  }

  async #judge(request: Request, before = 0): Promise<Result> {
    if (this.#current().runs >= runsPerThread) await this.#renew()
    const answer = await this.#current().run(request, this.#limit)
    if (answer === undefined || answer.hits > (request.hitLimit ?? Infinity)) {
      await this.#renew()
      return {
        status: "timeout",
        reason: answer === undefined ? "A test did not end." : "The limit of hits was reached."
      }
    }
    const failed = answer.tests.filter(({ status }) => status === 1)
    for (const { fileName } of failed) {
      const file = relative(this.#root, fileName)
      this.#kills.set(file, (this.#kills.get(file) ?? 0) + 1)
    }
    if (failed.length > 0)
      return {
        status: "killed",
        killedBy: failed.map(({ id }) => id),
        failureMessage: failed[0]?.failureMessage ?? "",
        nrOfTests: before + answer.tests.length
      }
    if (answer.errors.length > 0) {
      await this.#renew()
      return { status: "error", errorMessage: answer.errors.join("\n") }
    }
    return { status: "survived", nrOfTests: before + answer.tests.length }
  }
}

/** The plugins that Stryker loads. */
export const strykerPlugins = [{ kind: "TestRunner", name: "thread", injectableClass: ThreadRunner }]
