/**
 * `npm run check`: types with the Effect diagnostics, lint, format, architecture, dead code.
 *
 * The compiler of `@effect/tsgo` is the TypeScript compiler with the Effect diagnostics, so one pass reports both. It
 * runs in parallel with the other checks, which run in sequence. Prints a line for each check, and the output of each
 * failed check.
 */
import { execFileSync, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"

const root = resolve(import.meta.dirname, "..")
const require = createRequire(import.meta.url)

interface Check {
  readonly name: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env?: NodeJS.ProcessEnv
}

/** Resolves the path of a program relative to a file of its package. */
const programOf = (file: string, path: string): string => join(dirname(file), path)

/** Creates a check that runs a program on this Node. */
const node = (name: string, ...args: ReadonlyArray<string>): Check => ({ name, command: process.execPath, args })

const effectTsgo = programOf(require.resolve("@effect/tsgo/package.json"), "dist/effect-tsgo.cjs")

/**
 * The compiler allocates some gigabytes and ends, so garbage collection would be a third of its work. It begins only at
 * the memory limit. Each checker repeats the work on types that several files share, so only two run in parallel.
 */
const types: Check = {
  name: "types and Effect diagnostics",
  command: execFileSync(process.execPath, [effectTsgo, "get-exe-path"], { cwd: root, encoding: "utf8" }).trim(),
  args: ["-p", ".", "--checkers", "2"],
  env: { GOGC: "off", GOMEMLIMIT: "4GiB" }
}

const sequence: ReadonlyArray<Check> = [
  node("format", programOf(require.resolve("oxfmt/package.json"), "bin/oxfmt"), "--list-different"),
  node("lint", programOf(require.resolve("oxlint/package.json"), "bin/oxlint")),
  node(
    "architecture",
    programOf(require.resolve("vitest/package.json"), "vitest.mjs"),
    "run",
    "--project=architecture",
    "--reporter=dot"
  ),
  node("dead code", programOf(require.resolve("knip"), "../bin/knip.js"))
]

/** Runs a check, and returns whether it passes. */
const passes = ({ args, command, env, name }: Check): Promise<boolean> =>
  new Promise((done, reject) => {
    const start = performance.now()
    const child = spawn(command, args, {
      cwd: root,
      env: { ...env, ...process.env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const output: Array<Buffer> = []
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk))
    child.on("error", reject)
    child.on("close", (code) => {
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      console.log(`${code === 0 ? "passed" : "FAILED"}  ${name} (${seconds} s)`)
      if (code !== 0) console.log(Buffer.concat(output).toString())
      done(code === 0)
    })
  })

const inTurn = async (): Promise<boolean> => {
  let isPassed = true
  for (const check of sequence) isPassed = (await passes(check)) && isPassed
  return isPassed
}

const results = await Promise.all([passes(types), inTurn()])
process.exitCode = results.every(Boolean) ? 0 : 1
