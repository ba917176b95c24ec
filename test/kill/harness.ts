/** Kills processes during runs, resumes the runs in new processes, and compares what was done. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../support/sources.ts"
import type { Mode, Order, Point, Report } from "./plan.ts"
import * as Service from "./service.ts"

const worker = join(root, "test/kill/worker.ts")

interface Ended {
  readonly reports: ReadonlyArray<Report>
  readonly signal: NodeJS.Signals | null
  readonly code: number | null
  readonly errors: string
}

interface Process {
  readonly child: ChildProcess
  readonly ready: Promise<void>
  readonly ended: Promise<Ended>
}

/** Starts a worker. It is killed, and no other one is started, when the signal aborts. */
const launch = (order: Order, signal: AbortSignal): Process => {
  signal.throwIfAborted()
  const child = spawn(process.execPath, [worker, JSON.stringify(order)], {
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
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code, signal) => {
      // the kill may have cut the last line
      const lines = output.split("\n").slice(1, -1)
      resolve({ reports: lines.map((line) => JSON.parse(line)), signal, code, errors })
    })
  })
  return { child, ready, ended }
}

/** What happened to the writes that were killed, over all repetitions. */
export interface Count {
  readonly place: string
  readonly mode: Mode
  /** Processes killed. */
  readonly kills: number
  /** Writes whose effect was done exactly once, and the model was told so. */
  once: number
  /** Writes of which a person was told that nobody knows; done once. */
  unknownDone: number
  /** The same, not done. */
  unknownNotDone: number
  /** Writes that were done twice, or not at all and nobody was told, or runs that did not end as they should. */
  readonly violations: Array<string>
}

const judge = (count: Count, service: Service.Service, report: Report | undefined, run: string, id: string): void => {
  const done = service.count(run, id)
  const isUnknown = report?.unknown.includes(id) === true
  if (report === undefined) count.violations.push(`${run}: did not end`)
  else if (done > 1) count.violations.push(`${run}/${id}: done ${done} times`)
  else if (isUnknown && report.end !== "NeedsPerson") count.violations.push(`${run}/${id}: unknown, and ${report.end}`)
  else if (isUnknown && done === 1) count.unknownDone += 1
  else if (isUnknown) count.unknownNotDone += 1
  else if (done === 1) count.once += 1
  else count.violations.push(`${run}/${id}: not done, and nobody was told`)
}

/** Four processes at once: more of them would wait for each other's disk. */
const inParallel = async <A>(items: ReadonlyArray<A>, act: (item: A) => Promise<void>): Promise<void> => {
  const queue = [...items]
  const work = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await act(item)
  }
  await Promise.all(Array.from({ length: 4 }, work))
}

const withFolder = async <A>(use: (folder: string, service: Service.Service) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "toolguard-kill-"))
  const service = await Service.start()
  try {
    return await use(folder, service)
  } finally {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

export interface Options {
  /** Kills the processes and rejects. */
  readonly signal?: AbortSignal
  /** Without the claim of a key, so that writes are done twice. */
  readonly withoutClaim?: boolean
}

const never = new AbortController().signal

/** Kills `times` processes at a named point of one write each, then resumes all their runs in a new process. */
export const killAt = (
  point: Point,
  mode: Mode,
  times: number,
  { signal: abort = never, withoutClaim = false }: Options = {}
): Promise<Count> =>
  withFolder(async (folder, service) => {
    const runs = Array.from({ length: times }, (_, i) => `run-${i}`)
    const base = { database: join(folder, "runs.db"), service: service.url, mode, writes: 1, withoutClaim } as const
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
      const { errors, signal } = await launch({ ...base, runs: [run], point }, abort).ended
      if (signal !== "SIGKILL") count.violations.push(`${run}: was not killed at "${point}" ${errors.slice(0, 500)}`)
    })
    const { code, errors, reports } = await launch({ ...base, runs }, abort).ended
    if (code !== 0)
      count.violations.push(`the process that resumes the runs ended with ${code}: ${errors.slice(0, 500)}`)
    for (const run of runs) {
      judge(
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

/** Kills processes at random moments of runs of thirty rounds, until so many were killed and their runs have ended. */
export const killAtRandom = (
  mode: Mode,
  kills: number,
  random: () => number,
  { signal: abort = never }: Options = {}
): Promise<Count> =>
  withFolder(async (folder, service) => {
    const base = { database: join(folder, "runs.db"), service: service.url, mode, writes: rounds } as const
    const [plain] = (await launch({ ...base, runs: ["run"] }, abort).ended).reports
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
      const order = { ...base, database: join(folder, `${index}.db`), runs: [run] }
      for (;;) {
        const one = launch(order, abort)
        await one.ready
        const isKilled = left > 0
        const timer = isKilled
          ? setTimeout(() => {
              left -= 1
              one.child.kill("SIGKILL")
            }, random() * 150)
          : undefined
        const { code, errors, reports, signal } = await one.ended
        clearTimeout(timer)
        if (signal === "SIGKILL" && reports.length === 0) continue
        const [report] = reports
        if (report === undefined) {
          count.violations.push(`${run}: ended with ${code}: ${errors.slice(0, 500)}`)
          return
        }
        const ids = Array.from({ length: rounds }, (_, i) => `w${i}`)
        const made = report.unknown.length > 0 ? ids.filter((id) => report.transcript.includes(`"${id}"`)) : ids
        for (const id of made) judge(count, service, report, run, id)
        if (report.unknown.length === 0 && report.transcript.replaceAll(run, "run") !== expected) {
          count.violations.push(`${run}: its transcript is not the one without kills`)
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

/** The counts as a table. */
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
