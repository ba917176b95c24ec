/** Reads the environment variables that flags name, so that the command line contains no secrets. */
import * as ChildEnvironment from "effect-toolguard/internal/mcp/wire/ChildEnvironment"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { misuse, type Problem } from "./Problem.ts"
import { fit, plain } from "./Screen.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** `--env`: the names of the variables that the process of an MCP server gets. */
export const env = Flag.String("env").pipe(
  Flag.withMetavar("<name>"),
  Flag.withDescription("Variable that the server gets in addition to PATH and HOME; repeatable"),
  Flag.atLeast(0)
)

/** Returns the value of a variable that a flag names. Fails if the variable is not set, or is empty. */
export const valueOf = (flag: string, name: string, own: Environment = process.env): Effect.Effect<string, Problem> => {
  const value = own[name] ?? ""
  return value === ""
    ? misuse(
        `${flag} names the variable ${plain(fit(name, 40))}, which is not set, or is empty.`,
        `Set it in the environment, or remove ${flag}.`
      )
    : Effect.succeed(value)
}

/** Returns the variables that `--env` names. Fails if `--env` has a value, or names a variable of the guard. */
export const forServer = (
  names: ReadonlyArray<string>,
  own: Environment = process.env
): Effect.Effect<Readonly<Record<string, string>>, Problem> =>
  Effect.map(
    Effect.forEach(names, (name) => {
      const shown = plain(fit(name.replace(/=.*$/su, ""), 40))
      if (name.includes("="))
        return misuse(
          `--env ${shown}=… has a value, which other programs can read on the command line.`,
          `Set the variable in the environment, and write --env ${shown}.`
        )
      if (ChildEnvironment.isOwn(name))
        return misuse(`--env ${shown} names a variable of the guard, which no server gets.`, "Remove it.")
      return Effect.map(valueOf("--env", name, own), (value) => [name, value] as const)
    }),
    Object.fromEntries
  )
