/** Runs the command as users do: as a separate process, without a terminal. */
import { spawn } from "node:child_process"
import { endOf, endWithTest, type ProcessExit } from "../../support/children.ts"
import { commandLine, withSourcePaths } from "../../support/command.ts"
import { root } from "../../support/sources.ts"

/** How to run the command. */
export interface Options {
  readonly env?: Readonly<Record<string, string>>
  /** The working directory. Default: the root of the project. */
  readonly cwd?: string
  /** Sends SIGINT as soon as the output contains this text. */
  readonly interruptAt?: string
  /** Runs before that signal, with the output so far. */
  readonly before?: (stdout: string) => Promise<void>
}

/** Returns the environment without variables that select a model. Sets `FORCE_COLOR`, which must have no effect. */
const environment = (): NodeJS.ProcessEnv => {
  const rest = Object.entries(process.env).filter(([name]) => !/^(?:OPENAI|ANTHROPIC)_|^NO_COLOR$/u.test(name))
  return { ...Object.fromEntries(rest), FORCE_COLOR: "1" }
}

/** Runs `toolguard` with arguments. */
export const toolguard = async (
  args: ReadonlyArray<string>,
  { before = async () => {}, cwd = root, env = {}, interruptAt }: Options = {}
): Promise<ProcessExit> => {
  const child = endWithTest(
    spawn(process.execPath, commandLine(args, cwd), {
      cwd,
      env: { ...environment(), ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
  )
  if (interruptAt !== undefined) {
    let stdout = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      if (stdout.includes(interruptAt)) void before(stdout).finally(() => child.kill("SIGINT"))
    })
  }
  const end = await endOf(child)
  return { ...end, stdout: withSourcePaths(end.stdout), stderr: withSourcePaths(end.stderr) }
}
