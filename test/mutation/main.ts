/**
 * Mutates rooms of `src/domain` and `src/pipeline`, and prints the mutants that no test detects:
 * `npm run mutate -- ROOM [ROOM…] [--files a.ts,b.ts] [--own] [--unconfirmed] [--report]`.
 *
 * A first run has two passes: the room's own tests, then those of its callers too, on the remaining mutants.
 *
 * - `--files` runs only the mutants of these files. The results of the room's other files are kept.
 * - `--own` omits the second pass.
 * - `--unconfirmed` does not confirm in a new thread that a mutant survives, so that the score is a lower bound.
 * - `--report` runs nothing, and prints the last results.
 *
 * Exits with 1 if a room fails its limits, or if files of a room were not measured.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { parseArgs } from "node:util"
import { paths, root } from "../support/sources.ts"
import { type AcceptedMutant, count, failures, type Report } from "./Report.ts"
import { type Part, type Room, rooms } from "./Room.ts"

const stryker = join(import.meta.dirname, "node_modules/@stryker-mutator/core/bin/stryker.js")
const results = join(root, ".mutation")

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: "string" },
    own: { type: "boolean", default: false },
    unconfirmed: { type: "boolean", default: false },
    report: { type: "boolean", default: false }
  }
})

const fail = (message: string): never => {
  console.error(message)
  process.exit(1)
}

/** Reads a file of this project or of Stryker, whose form is known. */
const json = <A>(path: string): A => {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as A
  } catch (error) {
    return fail(`${path} is not valid JSON. Remove it if an interrupted run left it incomplete. ${String(error)}`)
  }
}

const accepted = json<ReadonlyArray<AcceptedMutant>>(join(import.meta.dirname, "accepted.json"))

const chosen = positionals.map(
  (name) =>
    rooms.find((room) => room.name === name.replace(/^src\/|\/$/g, "")) ??
    fail(`There is no room ${name}. The rooms are: ${rooms.map((room) => room.name).join(", ")}.`)
)
if (chosen.length === 0) fail(`Name one or more rooms: ${rooms.map((room) => room.name).join(", ")}.`)
if (!existsSync(stryker)) fail("Stryker is not installed: npm ci --prefix test/mutation")

/** The path of a part's file in the folder of results. */
const fileOf = (part: Part, suffix: string): string => join(results, `${part.name.replaceAll("/", "-")}${suffix}`)

const reportOf = (part: Part): string => fileOf(part, ".json")

/** Runs tests on the mutants of files of a part. The next run starts from its results. */
const run = (room: Room, part: Part, files: ReadonlyArray<string>, tests: ReadonlyArray<string>): void => {
  mkdirSync(results, { recursive: true })
  const config = fileOf(part, ".config.json")
  writeFileSync(
    config,
    JSON.stringify({
      ...json<object>(join(import.meta.dirname, "stryker.json")),
      mutate: files,
      testFiles: paths(...tests).filter((path) => !path.endsWith(".long.test.ts")),
      incrementalFile: reportOf(part),
      tempDirName: relative(root, fileOf(part, ".sandbox"))
    })
  )
  const { status } = spawnSync(process.execPath, [stryker, "run", config], {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      MUTATED_ROOM: room.name,
      ...(values.unconfirmed ? { MUTANTS_UNCONFIRMED: "1" } : {}),
      NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compiled")
    }
  })
  if (status !== 0) fail(`Stryker ended with ${status} in ${room.name}.`)
}

const names = values.files?.split(",")
const heading = ["room", "mutants", "killed", "timeout", "survived", "no coverage", "accepted", "score"]
const rows: Array<ReadonlyArray<string>> = []
for (const room of chosen) {
  const isNamed = (path: string) => names === undefined || names.some((name) => path.endsWith(`/${name}`))
  if (!room.files.some(isNamed)) fail(`${room.name} has none of the files ${values.files}.`)
  for (const part of values.report ? [] : room.parts) {
    const files = part.files.filter(isNamed)
    if (files.length === 0) continue
    const isMeasured = existsSync(reportOf(part)) && files.every((path) => path in json<Report>(reportOf(part)).files)
    if (values.own || !isMeasured) run(room, part, files, part.own)
    if (!values.own) run(room, part, files, [...room.own, ...room.callers])
  }
  const measured = room.parts.filter((part) => existsSync(reportOf(part)))
  if (measured.length === 0) fail(`${room.name} was not measured yet.`)
  const report: Report = {
    files: Object.assign({}, ...measured.map((part) => json<Report>(reportOf(part)).files)) as Report["files"]
  }
  const counts = count(report, new Set(room.files), accepted)
  for (const { file, line, mutator, original, replacement, row } of counts.open)
    console.log(`${file}:${row} ${mutator}\n  ${line}\n  ${original} → ${replacement.replace(/\s*\n\s*/g, " ")}`)
  const unmeasured = room.files.filter((path) => !(path in report.files))
  for (const message of [
    ...failures(counts),
    ...(unmeasured.length === 0 ? [] : [`these files were not measured: ${unmeasured.join(", ")}`])
  ]) {
    console.error(`${room.name}: ${message}`)
    process.exitCode = 1
  }
  const { killed, mutants, score, survived, timeout, uncovered } = counts
  const numbers = [mutants, killed, timeout, survived, uncovered, counts.accepted].map(String)
  rows.push([room.name, ...numbers, `${score.toFixed(1)} %`])
}
for (const row of [heading, heading.map(() => "---"), ...rows]) console.log(`| ${row.join(" | ")} |`)
