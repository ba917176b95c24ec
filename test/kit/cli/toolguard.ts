/** Runs the command as users do: as a separate process, without a terminal. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { type Ended, endOf, endWithTest } from "../../support/children.ts"
import { root } from "../../support/sources.ts"

export interface Options {
  readonly env?: Readonly<Record<string, string>>
  /** Where it runs. Default: the root of the project. */
  readonly cwd?: string
  /** Ends it with SIGINT as soon as it has written this to standard output. */
  readonly interruptAt?: string
  /** Runs before that, with the output so far. */
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
): Promise<Ended> => {
  const child = endWithTest(
    spawn(process.execPath, [join(root, "kit/cli/main.ts"), ...args], {
      cwd,
      env: { ...environment(), ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
  )
  if (interruptAt !== undefined) {
    let said = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text
      if (said.includes(interruptAt)) void before(said).finally(() => child.kill("SIGINT"))
    })
  }
  return endOf(child)
}
