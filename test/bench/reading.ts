/**
 * `npm run bench:reading -- [--size MB] [--rounds N] [--json]`: what it costs to read recorded conversations, beside plainly
 * reading and parsing the same file.
 *
 * The file is made in a temporary folder from the recorded traffic, with other ids, until it has its size (default: 200 MB;
 * `--size 1000` for a gigabyte). Both read it in turn, each time in a process of its own; a ratio is taken within a round.
 * Peaks of resident memory are the operating system's figures.
 */
import { spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import * as Traffic from "../../src/cli/traffic/Traffic.ts"
import { data, hasData } from "../support/data.ts"
import { median } from "./measure.ts"

interface Measured {
  readonly seconds: number
  readonly peakMegabytes: number
  readonly lines: number
  readonly calls: number
}

/** Reads a file in chunks, cuts it into lines and parses them, and keeps nothing. */
const plainly = (file: string): Pick<Measured, "lines" | "calls"> => {
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

const asConversations = async (file: string): Promise<Pick<Measured, "lines" | "calls">> => {
  let lines = 0
  let calls = 0
  for await (const { items } of Traffic.read([file])) {
    for (const item of items) {
      if (item._tag === "Skipped") throw new Error(`${item.place.file}:${item.place.line}: ${item.reason}`)
      lines += 1
      for (const message of item.messages) if (message.role === "assistant") calls += message.calls.length
    }
  }
  return { lines, calls }
}

const measure = async (what: string, file: string): Promise<Measured> => {
  const start = performance.now()
  const counted = what === "plain" ? plainly(file) : await asConversations(file)
  const seconds = (performance.now() - start) / 1000
  return { seconds, peakMegabytes: process.resourceUsage().maxRSS / 1024, ...counted }
}

const inProcess = (what: string, file: string): Measured => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [import.meta.filename, "--measure", what, file])
  if (status !== 0) throw new Error(stderr.toString())
  return JSON.parse(stdout.toString()) as Measured
}

/** Writes the recorded conversations again and again, with ids of their own. Gives the bytes written. */
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
    written += writeSync(descriptor, `${lines[i % lines.length]!.replace('{"id":"', `{"id":"${i}/`)}\n`)
  }
  closeSync(descriptor)
  return written
}

const numberOf = (argv: ReadonlyArray<string>, flag: string, otherwise: number): number => {
  const at = argv.indexOf(flag)
  const number = at === -1 ? otherwise : Number(argv[at + 1])
  if (Number.isInteger(number) && number > 0) return number
  process.stderr.write(`${flag} wants a whole number from 1 up.\n`)
  return process.exit(1)
}

const main = (argv: ReadonlyArray<string>): number => {
  if (!hasData) {
    process.stderr.write("The recorded traffic is not there. Name its folder in TOOLGUARD_DATA.\n")
    return 1
  }
  const rounds = numberOf(argv, "--rounds", 5)
  const folder = mkdtempSync(join(tmpdir(), "toolguard-reading-"))
  try {
    const file = join(folder, "traffic.jsonl")
    const bytes = generate(file, numberOf(argv, "--size", 200) * 1_000_000)
    const plain: Array<Measured> = []
    const ours: Array<Measured> = []
    for (let round = 0; round < rounds; round++) {
      plain.push(inProcess("plain", file))
      ours.push(inProcess("conversations", file))
    }
    const rate = (all: ReadonlyArray<Measured>) => Math.round(bytes / 1e6 / median(all.map(({ seconds }) => seconds)))
    const peak = (all: ReadonlyArray<Measured>) => Math.round(Math.max(...all.map((one) => one.peakMegabytes)))
    const figures = {
      megabytes: Math.round(bytes / 1e6),
      conversations: ours[0]?.lines ?? 0,
      calls: ours[0]?.calls ?? 0,
      plain: { megabytesPerSecond: rate(plain), peakMegabytes: peak(plain) },
      reading: { megabytesPerSecond: rate(ours), peakMegabytes: peak(ours) },
      ratio: Number(median(ours.map(({ seconds }, i) => (plain[i]?.seconds ?? Number.NaN) / seconds)).toFixed(2))
    }
    const line = (name: string, { megabytesPerSecond: speed, peakMegabytes }: typeof figures.plain) =>
      `${name.padEnd(26)}${`${speed} MB/s`.padStart(12)}${`${peakMegabytes} MB`.padStart(12)}\n`
    process.stdout.write(
      argv.includes("--json")
        ? `${JSON.stringify(figures)}\n`
        : `${figures.megabytes} MB: ${figures.conversations} conversations, ${figures.calls} calls\n\n` +
            `${"".padEnd(26)}${"speed".padStart(12)}${"peak RSS".padStart(12)}\n` +
            line("read and JSON.parse", figures.plain) +
            line("read as conversations", figures.reading) +
            `\nspeed in that of read and JSON.parse: ${figures.ratio}\n`
    )
    return 0
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const [flag, what = "", file = ""] = process.argv.slice(2)
if (flag === "--measure") process.stdout.write(JSON.stringify(await measure(what, file)))
else process.exitCode = main(process.argv.slice(2))
