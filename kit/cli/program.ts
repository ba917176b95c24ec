/**
 * Runs the command that the arguments name, with the platform's layers. Reports a problem with its message and its
 * remedy.
 *
 * - Results go to standard output, logs and problems to standard error.
 * - Exit codes: 0 for success; 1 for a problem; 2 for an invalid command line; 130 when interrupted by SIGINT or SIGTERM.
 *   A second signal ends the process immediately.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as Context from "effect/Context"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import * as Logger from "effect/Logger"
import { commands } from "./commands.ts"
import { lineOf, misuse, Problem, problem } from "#kit/cli/console/Problem"
import * as SecondInterrupt from "#kit/cli/console/SecondInterrupt"
import { version } from "#kit/Version"

/**
 * Returns the name of the command that the arguments call, if any.
 *
 * No other word can precede the name, because the root has no arguments and its flags have no values.
 */
const calledName = (args: ReadonlyArray<string>): string | undefined => {
  const end = args.indexOf("--")
  const words = end === -1 ? args : args.slice(0, end)
  return words.find((word) => commands.some(({ name }) => name === word))
}

/** Loads a command if it is called. Otherwise returns a stub with its description, for the root's help. */
const subcommand = async ({ description, load, name }: (typeof commands)[number], called: string | undefined) => {
  if (name !== called) return Command.make(name).pipe(Command.withShortDescription(description))
  // enables the compiler before the command's schemas are compiled
  await import("effect/schema/SchemaJITCompiler/enable")
  return load()
}

const toolguard = Effect.gen(function* () {
  const called = calledName(process.argv.slice(2))
  const subcommands = yield* Effect.promise(() => Promise.all(commands.map((row) => subcommand(row, called))))
  const root = Command.make("toolguard").pipe(
    Command.withDescription("A guard around the tool calls of language models"),
    Command.withSubcommands(subcommands)
  )
  yield* Command.run(root, { version })
})

/** Writes help to standard output. Invalid invocations are left to `report`. */
const presenter: CliOutput.Presenter = {
  present: (event) => (event._tag === "InvalidInvocation" ? Effect.void : CliOutput.defaultPresenter.present(event))
}

/** Uses colours on a terminal, unless `NO_COLOR` is set. Ignores `FORCE_COLOR`. */
const capabilities = Layer.sync(TerminalCapabilities, () => {
  const detected = Context.get(Context.empty(), TerminalCapabilities)
  return { ...detected, canColor: detected.canColor && process.stdout.isTTY === true }
})

const invalid = ({ commandPath, errors }: CliError.ShowHelp): Problem =>
  misuse(errors.map(({ message }) => message.replaceAll("\n", " ")).join(" "), `See ${commandPath.join(" ")} --help.`)

/** Reports a failure on standard error. A failure that only shows help becomes a success. */
const report = <A, R>(program: Effect.Effect<A, unknown, R>): Effect.Effect<A | void, Problem, R> =>
  Effect.catchCause(program, (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
    const error = Cause.squash(cause)
    const help = CliError.isCliError(error) && error._tag === "ShowHelp" ? error : undefined
    if (help?.errors.length === 0) return Effect.void
    const found = help
      ? invalid(help)
      : error instanceof Problem
        ? error
        : problem(`Unexpected error: ${lineOf(error)}`, "Please report it.")
    const text = found.remedy === "" ? found.message : `${found.message}\n${found.remedy}`
    return Effect.andThen(Console.error(`toolguard: ${text}`), Effect.fail(found))
  }).pipe(Effect.onInterrupt(() => Console.error("\nInterrupted.")))

const platform = Layer.mergeAll(
  NodeServices.layer,
  Logger.layer([Logger.consolePretty()]),
  Layer.succeed(Logger.LogToStderr, true),
  capabilities,
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
  CliOutput.layerPresenter(presenter)
)

/** Waits until the output is written before the process exits, because a slow reader of a pipe would lose the end of the output. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Runtime.defaultTeardown(exit, (code) => process.stdout.write("", () => onExit(code)))

SecondInterrupt.install()
report(Effect.provide(toolguard, platform)).pipe(NodeRuntime.runMain({ disableErrorReporting: true, teardown }))
