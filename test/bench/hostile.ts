/**
 * Measures what hostile inputs cost the commands: `npm run bench:hostile [-- PART]`.
 *
 * Prints for each command and input: the CPU seconds beyond reading, inflating and parsing, the maximum resident memory, the
 * exit code and the last line of the output. `PART` selects the lines that contain it.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { cases } from "../hostile/commands/inputs.ts"
import { reading, run } from "../hostile/commands/measure.ts"
import { bundled } from "../support/command.ts"

const part = process.argv[2] ?? ""

for (const { command, input, make } of cases) {
  if (!`${command} ${input}`.includes(part)) continue
  const folder = mkdtempSync(join(tmpdir(), "hostile-"))
  try {
    const { args, files } = await make(folder)
    const { code, cpu, megabytes, output } = await run(bundled, args, folder)
    const beyond = cpu - (await reading(files, folder))
    const line = output.trim().split("\n").at(-1)?.slice(0, 110) ?? ""
    console.log(
      `${command.padEnd(8)} ${input.padEnd(38)} ${beyond.toFixed(1).padStart(6)} s ${megabytes.toFixed(0).padStart(5)} MB  ${code ?? "killed"}  ${line}`
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}
