/** Runs the command as users do: as a process of its own, without a terminal. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { root } from "../../support/sources.ts"

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Options {
  readonly env?: Readonly<Record<string, string>>
  /** Where it runs. Default: the root of the project. */
  readonly cwd?: string
  /** Ends it with SIGINT as soon as it has written this to standard output. */
  readonly interruptAt?: string
  /** Is done first, with what has been written so far. */
  readonly before?: (stdout: string) => Promise<void>
}

/** The environment without what would choose another model. `FORCE_COLOR` is there: it must not matter. */
const environment = (): NodeJS.ProcessEnv => {
  const rest = Object.entries(process.env).filter(([name]) => !/^(?:OPENAI|ANTHROPIC)_|^NO_COLOR$/u.test(name))
  return { ...Object.fromEntries(rest), FORCE_COLOR: "1" }
}

/** Runs `toolguard` with arguments. */
export const toolguard = (
  args: ReadonlyArray<string>,
  { before = async () => {}, cwd = root, env = {}, interruptAt }: Options = {}
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, "kit/cli/main.ts"), ...args], {
      cwd,
      env: { ...environment(), ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      if (interruptAt !== undefined && stdout.includes(interruptAt)) {
        void before(stdout).finally(() => child.kill("SIGINT"))
      }
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })
