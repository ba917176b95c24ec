#!/usr/bin/env node
/**
 * The command `toolguard`: picks the platform's layers, and says in one line what went wrong.
 *
 * - Results go to standard output, everything else (logs, problems) to standard error.
 * - Exit codes: 0; 1 for a problem; 2 for a command that was written wrongly; 130 when interrupted.
 */
// oxlint-disable-next-line import/no-unassigned-import -- to import it is to switch it on, before any schema is used
import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as Context from "effect/Context"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { approvals } from "#kit/cli/approvals/approvals"
import { diff } from "#kit/cli/diff/diff"
import { calls } from "#kit/cli/calls/calls"
import { lineOf, misuse, Problem, problem } from "#kit/cli/console/Problem"
import { explain } from "#kit/cli/explain/explain"
import { fuzz } from "#kit/cli/fuzz/fuzz"
import { golden } from "#kit/cli/golden/golden"
import { infer } from "#kit/cli/infer/infer"
import { lint } from "#kit/cli/lint/lint"
import { openapi } from "#kit/cli/openapi/openapi"
import { mcp } from "#kit/cli/mcp/mcp"
import { replay } from "#kit/cli/replay/replay"
import { run } from "#kit/cli/run/run"
import { runs } from "#kit/cli/runs/runs"
import { version } from "#kit/cli/console/Version"

const toolguard = Command.make("toolguard").pipe(
  Command.withDescription("A guard around the tool calls of language models"),
  Command.withSubcommands([run, replay, explain, infer, lint, diff, fuzz, golden, approvals, calls, runs, mcp, openapi])
)

/** Help goes to standard output; what was written wrongly is told in `report`. */
const presenter: CliOutput.Presenter = {
  present: (event) => (event._tag === "InvalidInvocation" ? Effect.void : CliOutput.defaultPresenter.present(event))
}

/** Colours are for a terminal, and only where nobody has asked for none (`NO_COLOR`). `FORCE_COLOR` does not count. */
const capabilities = Layer.sync(TerminalCapabilities, () => {
  const detected = Context.get(Context.empty(), TerminalCapabilities)
  return { ...detected, canColor: detected.canColor && process.stdout.isTTY === true }
})

const invalid = ({ commandPath, errors }: CliError.ShowHelp): Problem =>
  misuse(errors.map(({ message }) => message.replaceAll("\n", " ")).join(" "), `See ${commandPath.join(" ")} --help.`)

const report = <A, R>(program: Effect.Effect<A, unknown, R>): Effect.Effect<A | void, Problem, R> =>
  Effect.catchCause(program, (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
    const error = Cause.squash(cause)
    const isHelp = (error as CliError.CliError | undefined)?._tag === "ShowHelp"
    if (isHelp && (error as CliError.ShowHelp).errors.length === 0) return Effect.void
    const found = isHelp
      ? invalid(error as CliError.ShowHelp)
      : error instanceof Problem
        ? error
        : problem(`This should not have happened: ${lineOf(error)}`, "Please report it.")
    const text = found.remedy === "" ? found.message : `${found.message}\n${found.remedy}`
    return Effect.andThen(Console.error(`toolguard: ${text}`), Effect.fail(found))
  }).pipe(Effect.onInterrupt(() => Console.error("\nInterrupted.")))

/** Whoever reads our output may leave before its end, as `head` does. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1)
})

const platform = Layer.mergeAll(
  NodeServices.layer,
  Logger.layer([Logger.consolePretty()]),
  Layer.succeed(Logger.LogToStderr, true),
  capabilities,
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
  CliOutput.layerPresenter(presenter)
)

report(Command.run(toolguard, { version }).pipe(Effect.provide(platform))).pipe(
  NodeRuntime.runMain({ disableErrorReporting: true })
)
