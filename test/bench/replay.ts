/**
 * `npm run bench:replay -- [--size MB] [--rounds N] [--json]`: compares reading and replaying recorded conversations with
 * only reading and parsing the same file, on one thread, and on two threads with replaying on one.
 *
 * The file repeats the recorded traffic with other ids until it has the requested size (default: 200 MB, `--size 1000` for a
 * gigabyte). Each measurement runs in a separate process, and ratios compare measurements within a round. The peaks of
 * resident memory are figures of the operating system. On a busy machine, only the ratios of the CPU time of the main
 * thread are comparable.
 */
// oxlint-disable-next-line import/no-unassigned-import -- compiled schemas, as in the command
import "effect/schema/SchemaJITCompiler/enable"
import { Effect, Stream } from "effect"
import { spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import * as HeapGrowth from "#kit/cli/replay/HeapGrowth"
import * as ParallelReplay from "#kit/cli/replay/ParallelReplay"
import * as ReplayThread from "#kit/cli/replay/ReplayThread"
import * as Traffic from "#kit/cli/traffic/Traffic"
import * as Replay from "#kit/replay/Replay"
import * as Fold from "#kit/report/Fold"
import { data, recordedData } from "../support/data.ts"
import { peakMegabytes } from "../support/peakMemory.ts"
import { median } from "./measure.ts"

interface Measurement {
  readonly seconds: number
  /** The CPU time of the main thread. */
  readonly cpuSeconds: number
  readonly peakMegabytes: number
  readonly lines: number
  readonly calls: number
}

/** Reads a file in chunks, splits it into lines and parses them, and discards the values. */
const parseLines = (file: string): Pick<Measurement, "lines" | "calls"> => {
  const descriptor = openSync(file, "r")
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  let pieces: Array<Buffer> = []
  let lines = 0
  for (let length = readSync(descriptor, buffer); length > 0; length = readSync(descriptor, buffer)) {
    const chunk = buffer.subarray(0, length)
    let from = 0
    for (let to = chunk.indexOf(10); to !== -1; to = chunk.indexOf(10, from)) {
      const end = chunk.subarray(from, to)
      JSON.parse(pieces.length === 0 ? end.toString() : Buffer.concat([...pieces, end]).toString())
      pieces = []
      lines += 1
      from = to + 1
    }
    if (from < length) pieces.push(Buffer.from(chunk.subarray(from)))
  }
  closeSync(descriptor)
  return { lines, calls: 0 }
}

const readConversations = async (file: string): Promise<Pick<Measurement, "lines" | "calls">> => {
  let lines = 0
  let calls = 0
  for await (const { items } of Stream.toAsyncIterable(Traffic.stream([file]))) {
    for (const item of items) {
      if (item._tag === "Skipped") throw new Error(`${item.place.file}:${item.place.line}: ${item.reason}`)
      lines += 1
      for (const message of item.messages) if (message.role === "assistant") calls += message.calls.length
    }
  }
  return { lines, calls }
}

/** Replays as the command does, with a number of jobs. */
const replayWith =
  (jobs: number) =>
  async (file: string): Promise<Pick<Measurement, "lines" | "calls">> => {
    HeapGrowth.limit()
    const fold = Fold.make({ redact: (text) => text })
    const parallel = ParallelReplay.make({
      jobs,
      replay: Effect.runSync(Effect.scoped(Replay.make())),
      fold,
      start: (fail) => ReplayThread.start({ advise: new Set() }, fail)
    })
    for await (const { items } of Stream.toAsyncIterable(Traffic.stream([file]))) await parallel.add(items)
    await parallel.finish()
    await parallel.end()
    const { calls, conversations } = fold.report().totals
    return { lines: conversations, calls }
  }

const methods: Readonly<Record<string, (file: string) => Promise<Pick<Measurement, "lines" | "calls">>>> = {
  plain: async (file) => parseLines(file),
  reading: readConversations,
  "1 job": replayWith(1),
  "2 jobs": replayWith(2)
}

const measure = async (what: string, file: string): Promise<Measurement> => {
  const start = performance.now()
  const cpu = process.threadCpuUsage()
  const counted = (await methods[what]?.(file)) ?? { lines: 0, calls: 0 }
  const seconds = (performance.now() - start) / 1000
  const { system, user } = process.threadCpuUsage(cpu)
  return { seconds, cpuSeconds: (user + system) / 1e6, peakMegabytes: peakMegabytes(), ...counted }
}

const inProcess = (what: string, file: string): Measurement => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [import.meta.filename, "--measure", what, file])
  if (status !== 0) throw new Error(stderr.toString())
  return JSON.parse(stdout.toString()) as Measurement
}

/** Writes the recorded conversations repeatedly, with unique ids. Returns the bytes written. */
const generate = (file: string, bytes: number): number => {
  const folder = join(data, "traffic")
  const lines = readdirSync(folder)
    .filter((name) => name.endsWith(".gz"))
    .flatMap((name) =>
      gunzipSync(readFileSync(join(folder, name)))
        .toString()
        .trim()
        .split("\n")
    )
  const descriptor = openSync(file, "w")
  let written = 0
  for (let i = 0; written < bytes; i++) {
    // the index is within the list
    written += writeSync(descriptor, `${lines[i % lines.length]!.replace('{"id":"', `{"id":"${i}/`)}\n`)
  }
  closeSync(descriptor)
  return written
}

const numberOf = (argv: ReadonlyArray<string>, flag: string, fallback: number): number => {
  const at = argv.indexOf(flag)
  const number = at === -1 ? fallback : Number(argv[at + 1])
  if (Number.isInteger(number) && number > 0) return number
  process.stderr.write(`${flag} must be a positive integer.\n`)
  return process.exit(1)
}

const main = (argv: ReadonlyArray<string>): number => {
  if (recordedData.absent !== undefined) {
    process.stderr.write("The recorded traffic was not found. Name its folder in TOOLGUARD_DATA.\n")
    return 1
  }
  const rounds = numberOf(argv, "--rounds", 5)
  const folder = mkdtempSync(join(tmpdir(), "toolguard-replay-"))
  try {
    const file = join(folder, "traffic.jsonl")
    const bytes = generate(file, numberOf(argv, "--size", 200) * 1_000_000)
    const all = Object.fromEntries(Object.keys(methods).map((method) => [method, [] as Array<Measurement>]))
    for (let round = 0; round < rounds; round++) {
      for (const [method, measured] of Object.entries(all)) measured.push(inProcess(method, file))
    }
    /** Returns the median of the ratios within the rounds: how much faster the first method is than the second. */
    const ratio = (one: string, other: string, of: (measured: Measurement) => number): number => {
      const [ones = [], others = []] = [all[one], all[other]]
      const ratios = ones.map((measured, i) => (others[i] === undefined ? Number.NaN : of(others[i]) / of(measured)))
      return Number(median(ratios).toFixed(2))
    }
    const figures = Object.entries(all).map(([method, measured]) => ({
      method,
      megabytesPerSecond: Math.round(bytes / 1e6 / median(measured.map(({ seconds }) => seconds))),
      peakMegabytes: Math.round(Math.max(...measured.map((one) => one.peakMegabytes))),
      ratio: ratio(method, "plain", ({ seconds }) => seconds),
      cpuRatio: ratio(method, "plain", ({ cpuSeconds }) => cpuSeconds)
    }))
    const { calls = 0, lines = 0 } = all["1 job"]?.[0] ?? {}
    const megabytes = Math.round(bytes / 1e6)
    const speedup = ratio("2 jobs", "1 job", ({ seconds }) => seconds)
    const row = (...cells: ReadonlyArray<string>) =>
      cells.map((cell, i) => (i === 0 ? cell.padEnd(12) : cell.padStart(12))).join("")
    process.stdout.write(
      argv.includes("--json")
        ? `${JSON.stringify({ megabytes, conversations: lines, calls, speedup, figures })}\n`
        : [
            `${megabytes} MB: ${lines} conversations, ${calls} calls; plain: read and JSON.parse`,
            row("", "speed", "peak RSS", "vs plain", "CPU"),
            ...figures.map(({ cpuRatio, megabytesPerSecond, method, peakMegabytes, ratio }) =>
              row(method, `${megabytesPerSecond} MB/s`, `${peakMegabytes} MB`, String(ratio), String(cpuRatio))
            ),
            `2 jobs: ${speedup} times as fast as 1 job. CPU: the ratio of the CPU time of the main thread.`,
            ""
          ].join("\n")
    )
    return 0
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const [flag, what = "", file = ""] = process.argv.slice(2)
if (flag === "--measure") process.stdout.write(JSON.stringify(await measure(what, file)))
else process.exitCode = main(process.argv.slice(2))
