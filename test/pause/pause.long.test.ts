/** Pauses real processes with SIGSTOP for longer than their leases, while another process takes over their actions. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { bundle } from "../support/bundle.ts"
import { endOf, endWithTest } from "../support/children.ts"
import { needs } from "../support/prerequisites.ts"
import { clearRedis } from "../support/redisKeys.ts"
import { postgres, redis, scratchDatabase, scratchUrl } from "../support/servers.ts"
import { root } from "../support/sources.ts"
import { isChecked, isLookedUp, type Answers, type Mode, modes, type Point, points, type Task } from "./plan.ts"

const worker = await bundle("test/pause/worker.ts")

const launch = (task: Task): ChildProcess =>
  endWithTest(
    spawn(process.execPath, [worker, JSON.stringify(task)], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "toolguard-kill-cache") }
    })
  )

/** Returns the answers to the callers in a process. */
const answersOf = async (child: ChildProcess): Promise<Answers> => {
  const { code, stderr, stdout } = await endOf(child)
  assert.strictEqual(code, 0, stderr.slice(0, 2_000))
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"))
  return Object.assign({}, ...lines.map((line) => JSON.parse(line)))
}

/** True if the first process is paused in the transaction that consumes the approval, and so blocks the SQLite file. */
const isLocking = (store: string, point: Point): boolean => store === "" && point === "approval consumed"

/** Checks that a process could not open the database, and so did nothing. */
const lockedOut = async (child: ChildProcess): Promise<Answers> => {
  const { code, stderr, stdout } = await endOf(child)
  assert.deepStrictEqual([code, stdout], [1, ""])
  assert.include(stderr, "database is locked")
  return {}
}

/** Resolves when the process has stopped itself. */
const stopped = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    const isStopped = () => / \(.*\) T /u.test(readFileSync(`/proc/${child.pid}/stat`, "utf8"))
    const look = () => (isStopped() ? resolve() : void setTimeout(look, 20))
    child.stdout?.on("data", (chunk) => String(chunk).includes("stopping\n") && look())
  })

interface Result {
  readonly effects: number
  /** The answer to the caller in the process that was paused. */
  readonly paused: string | undefined
  /** The answer to the caller in the process that took over the action. */
  readonly other: string | undefined
}

/** Pauses a process at a point, lets another process make the same calls, and resumes the first. */
const pausedAt = async (store: string, point: Point, ordered: ReadonlyArray<Mode>) => {
  const folder = mkdtempSync(join(tmpdir(), "toolguard-pause-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  if (store.startsWith("redis:")) {
    onTestFinished(() => Effect.runPromise(clearRedis(redis.url, `toolguard-pause-${folder}:`)))
  }
  const task = { store: store === "" ? join(folder, "stores.db") : store, folder, modes: ordered }
  const first = launch({ ...task, point })
  const firstAnswers = answersOf(first)
  await Promise.race([stopped(first), firstAnswers.then(() => assert.fail(`the process did not stop at "${point}"`))])
  const second = launch(task)
  const other = await (isLocking(store, point) ? lockedOut(second) : answersOf(second))
  first.kill("SIGCONT")
  const paused = await firstAnswers
  const resultOf = (mode: Mode): Result => {
    const path = join(folder, mode)
    const effects = existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n").length : 0
    return { effects, paused: paused[mode], other: other[mode] }
  }
  return new Map(ordered.map((mode) => [mode, resultOf(mode)]))
}

/** Returns the violations of an action: it was done twice without a report, reported as done without an effect, or lost. */
const violations = (mode: Mode, point: Point, { effects, other, paused }: Result): ReadonlyArray<string> => {
  const answers = [paused, other]
  const isReported = answers.includes("outcome_unknown")
  const text = `${mode}: ${effects} effects, answered ${answers.join(" and ")}`
  const isPrevented =
    mode === "fencing token" ||
    mode === "honoured key" ||
    mode === "approval" ||
    (isChecked(mode) && point !== "before the effect")
  return [
    ...(effects > 1 && (isPrevented || !isReported) ? [`done twice: ${text}`] : []),
    ...(effects === 0 && answers.includes("success") ? [`reported as done: ${text}`] : []),
    ...(effects > 0 && !answers.includes("success") && !isReported ? [`lost: ${text}`] : [])
  ]
}

/** Returns the modes with this point. Only checked tools renew their claim. */
const modesAt = (point: Point): ReadonlyArray<Mode> => {
  if (point === "renewal answered") return modes.filter(isChecked)
  if (point === "lookup answered") return modes.filter(isLookedUp)
  return point === "approval consumed" ? ["approval"] : modes
}

/** Pauses one process at each point. The processes run at the same time, because a lease takes seconds. */
const pauses = (store: string) =>
  it("8.3 after a pause longer than the lease at any of nine points, no action is performed twice without a report", async () => {
    const found = await Promise.all(
      points.map(async (point) => {
        const results = await pausedAt(store, point, modesAt(point))
        return [...results].flatMap(([mode, result]) =>
          violations(mode, point, result).map((violation) => `${point}: ${violation}`)
        )
      })
    )
    assert.deepStrictEqual(found.flat(), [])
  })

describe("a process that is paused at a point of a write", () => {
  describe("SQLite", () => pauses(""))
  describe("PostgreSQL", needs(postgres), () => {
    if (postgres.absent === undefined) scratchDatabase("pause")
    pauses(scratchUrl("pause"))
  })
  describe("Redis", needs(redis), () => pauses(redis.url))
})
