/** The entries of the built packages: each module that programs import, and each command. */
import { commands } from "#kit/cli/commands"

export interface Entry {
  readonly name: string
  /** Node's arguments, for a folder in which both packages are installed. */
  readonly args: ReadonlyArray<string>
}

/** Returns the arguments of a program that only imports some modules. */
export const importing = (...modules: ReadonlyArray<string>): ReadonlyArray<string> => [
  "--input-type=module",
  "--eval",
  modules.map((module) => `await import("${module}")`).join("; ")
]

/** Returns the arguments of a program that runs the command `toolguard`. */
export const toolguard = (...args: ReadonlyArray<string>): ReadonlyArray<string> => [
  "node_modules/toolguard/kit/cli/main.js",
  ...args
]

const modules = [
  "effect-toolguard",
  "effect-toolguard/live",
  "effect-toolguard/mcp",
  "effect-toolguard/openapi",
  "effect-toolguard/promise",
  "effect-toolguard/ai-sdk",
  "effect-toolguard/langchain",
  "effect-toolguard/openai-agents",
  "toolguard/testing"
]

const helps = commands.map(({ name }) => `${name} --help`)

export const entries: ReadonlyArray<Entry> = [
  ...modules.map((name) => ({ name, args: importing(name) })),
  ...["--version", "--help", ...helps].map((words) => ({
    name: `toolguard ${words}`,
    args: toolguard(...words.split(" "))
  }))
]
