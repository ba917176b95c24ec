/** Kills processes during runs, resumes the runs in new processes, and counts the effects of their writes. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { bundle } from "../support/bundle.ts"
import { clearRedis } from "../support/redisKeys.ts"
import { root } from "../support/sources.ts"
import { type Mode, type Point, redisPrefix, type Report, type Task } from "./plan.ts"
import * as Service from "./service.ts"

const worker = bundle("test/kill/worker.ts")

interface Exit {
  readonly reports: ReadonlyArray<Report>
  readonly signal: NodeJS.Signals | null
  readonly code: number | null
  readonly errors: string
}

interface Process {
  readonly child: ChildProcess
  readonly ready: Promise<void>
  readonly ended: Promise<Exit>
}

/** Starts a worker. When the signal aborts, the worker is killed and no further worker is started. */
const launch = async (task: Task, signal: AbortSignal): Promise<Process> => {
  signal.throwIfAborted()
  const child = spawn(process.execPath, [await worker, JSON.stringify(task)], {
    cwd: root,
    signal,
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "toolguard-kill-cache") }
  })
  let output = ""
  let errors = ""
  const ready = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk) => {
      output += String(chunk)
      if (output.startsWith("ready\n")) resolve()
    })
    child.once("close", () => resolve())
  })
  child.stderr.on("data", (chunk) => (errors += String(chunk)))
  const ended = new Promise<Exit>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code, signal) => {
      // the last line may be incomplete after a kill
      const lines = output.split("\n").slice(1, -1)
      resolve({ reports: lines.map((line) => JSON.parse(line)), signal, code, errors })
    })
  })
  return { child, ready, ended }
}

/** Starts a worker and waits for its end. */
const end = async (task: Task, signal: AbortSignal): Promise<Exit> => (await launch(task, signal)).ended

/** The outcomes of the writes whose process was killed, over all repetitions. */
export interface Count {
  readonly place: string
  readonly mode: Mode
  /** The number of killed processes. */
  readonly kills: number
  /** Writes that happened exactly once and were reported to the model as successful. */
  once: number
  /** Writes that were reported to a person as unknown and happened once. */
  unknownDone: number
  /** Writes that were reported to a person as unknown and did not happen. */
  unknownNotDone: number
  /** Writes that happened twice, writes that were lost without a report, and runs with an unexpected end. */
  readonly violations: Array<string>
}

const countWrite = (
  count: Count,
  service: Service.Service,
  report: Report | undefined,
  run: string,
  id: string
): void => {
  const done = service.count(run, id)
  const isUnknown = report?.unknown.includes(id) === true
  if (report === undefined) count.violations.push(`${run}: did not finish`)
  else if (done > 1) count.violations.push(`${run}/${id}: happened ${done} times`)
  else if (isUnknown && report.end !== "NeedsPerson")
    count.violations.push(`${run}/${id}: unknown, but the run ended with ${report.end}`)
  else if (isUnknown && done === 1) count.unknownDone += 1
  else if (isUnknown) count.unknownNotDone += 1
  else if (done === 1) count.once += 1
  else count.violations.push(`${run}/${id}: lost without a report`)
}

/** Runs four processes at a time. More processes would only wait for the disk. */
const inParallel = async <A>(items: ReadonlyArray<A>, act: (item: A) => Promise<void>): Promise<void> => {
  const queue = [...items]
  const work = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await act(item)
  }
  await Promise.all(Array.from({ length: 4 }, work))
}

const withFolder = async <A>(
  redis: string | undefined,
  use: (folder: string, service: Service.Service) => Promise<A>
): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "toolguard-kill-"))
  const service = await Service.start()
  try {
    return await use(folder, service)
  } finally {
    await service.close()
    if (redis !== undefined) await Effect.runPromise(clearRedis(redis, redisPrefix(folder)))
    rmSync(folder, { recursive: true, force: true })
  }
}

export interface Options {
  /** Aborting it kills the processes and rejects. */
  readonly signal?: AbortSignal
  /** Removes the stage `claim`, so that writes happen twice. */
  readonly withoutClaim?: boolean
  /** The address of the Redis that keeps the keys. Default: they are in the database, with the journal. */
  readonly redis?: string
}

const never = new AbortController().signal

/** Kills `times` processes at a named point of one write each, then resumes all their runs in a new process. */
export const killAt = (
  point: Point,
  mode: Mode,
  times: number,
  { redis, signal: abort = never, withoutClaim = false }: Options = {}
): Promise<Count> =>
  withFolder(redis, async (folder, service) => {
    const runs = Array.from({ length: times }, (_, i) => `run-${i}`)
    const base = {
      database: join(folder, "runs.db"),
      service: service.url,
      mode,
      writes: 1,
      withoutClaim,
      ...(redis === undefined ? {} : { redis })
    } as const
    const count: Count = {
      place: point,
      mode,
      kills: times,
      once: 0,
      unknownDone: 0,
      unknownNotDone: 0,
      violations: []
    }
    await inParallel(runs, async (run) => {
      const { errors, signal } = await end({ ...base, runs: [run], point }, abort)
      if (signal !== "SIGKILL") count.violations.push(`${run}: was not killed at "${point}" ${errors.slice(0, 500)}`)
    })
    const { code, errors, reports } = await end({ ...base, runs }, abort)
    if (code !== 0)
      count.violations.push(`the process that resumes the runs exited with ${code}: ${errors.slice(0, 500)}`)
    for (const run of runs) {
      countWrite(
        count,
        service,
        reports.find((report) => report.run === run),
        run,
        "w0"
      )
    }
    return count
  })

const rounds = 30

/** Kills `kills` processes at random moments of runs of thirty rounds, and resumes each run until it ends. */
export const killAtRandom = (
  mode: Mode,
  kills: number,
  random: () => number,
  { redis, signal: abort = never }: Options = {}
): Promise<Count> =>
  withFolder(redis, async (folder, service) => {
    const base = {
      database: join(folder, "runs.db"),
      service: service.url,
      mode,
      writes: rounds,
      ...(redis === undefined ? {} : { redis })
    } as const
    const [plain] = (await end({ ...base, runs: ["run"] }, abort)).reports
    const expected = plain?.transcript ?? "no transcript"
    const count: Count = {
      place: "at random",
      mode,
      kills,
      once: 0,
      unknownDone: 0,
      unknownNotDone: 0,
      violations: []
    }
    let left = kills
    const play = async (index: number): Promise<void> => {
      const run = `run${"-".repeat(index)}`
      const task = { ...base, database: join(folder, `${index}.db`), runs: [run] }
      for (;;) {
        const process = await launch(task, abort)
        await process.ready
        const isKilled = left > 0
        const timer = isKilled
          ? setTimeout(() => {
              left -= 1
              process.child.kill("SIGKILL")
            }, random() * 150)
          : undefined
        const { code, errors, reports, signal } = await process.ended
        clearTimeout(timer)
        if (signal === "SIGKILL" && reports.length === 0) continue
        const [report] = reports
        if (report === undefined) {
          count.violations.push(`${run}: exited with ${code}: ${errors.slice(0, 500)}`)
          return
        }
        const ids = Array.from({ length: rounds }, (_, i) => `w${i}`)
        const started = report.unknown.length > 0 ? ids.filter((id) => report.transcript.includes(`"${id}"`)) : ids
        for (const id of started) countWrite(count, service, report, run, id)
        if (report.unknown.length === 0 && report.transcript.replaceAll(run, "run") !== expected) {
          count.violations.push(`${run}: its transcript differs from that of a run without kills`)
        }
        return
      }
    }
    let index = 0
    await inParallel([0, 1, 2, 3], async () => {
      while (left > 0) await play((index += 1))
    })
    return count
  })

/** Formats the counts as a table. */
export const table = (counts: ReadonlyArray<Count>): string => {
  const head = ["killed", "upstream", "kills", "once", "unknown: done", "unknown: not done", "violations"]
  const rows = counts.map(({ kills, mode, once, place, unknownDone, unknownNotDone, violations }) =>
    [place, mode, kills, once, unknownDone, unknownNotDone, violations.length].map(String)
  )
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)))
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}
