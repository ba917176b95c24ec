/** `toolguard runs`: looks after the runs whose checkpoints are in a database. */
import * as CheckpointFile from "effect-toolguard/internal/domain/journal/CheckpointFile"
import { inWords } from "effect-toolguard/internal/domain/text/TimeSpan"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as CheckpointsSql from "effect-toolguard/layers/CheckpointsSql"
import { type CheckpointError, Checkpoints, type RunSummary } from "effect-toolguard/services/Checkpoints"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Result from "effect/Result"
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { open } from "#kit/cli/console/Database"
import { database, json } from "#kit/cli/console/Flags"
import { lineOf, type Problem, problem } from "#kit/cli/console/Problem"
import * as NewFile from "./NewFile.ts"
import * as Screen from "#kit/cli/console/Screen"

const sha256 = (text: string): string => hash("sha256", text, "hex")

const store = {
  service: Checkpoints,
  layer: CheckpointsSql.layer,
  table: "toolguard_runs",
  what: "runs"
} as const

/** Runs an effect on the checkpoints; what stops it is a problem of two lines. */
const using = <A>(
  given: Option.Option<string>,
  use: (checkpoints: Checkpoints["Service"]) => Effect.Effect<A, Problem | CheckpointError>,
  mayMake = false
): Effect.Effect<A, Problem> =>
  Effect.flatMap(Checkpoints, use).pipe(
    Effect.provide(open(store, given, mayMake)),
    Effect.mapError((error) => {
      if (error._tag === "CheckpointsUnavailable") {
        return problem("The database stopped answering.", "Look after it, and try again: nothing is done by half.")
      }
      return error._tag === "CheckpointRefused"
        ? problem(`The run ${shown(error.run)} is refused: ${error.detail}`, "It was left as it is.")
        : error
    })
  )

const run = Argument.String("run").pipe(Argument.withDescription("Id of the run"))
const file = (what: string) => Argument.String("file").pipe(Argument.withDescription(what))
const tenant = Flag.String("tenant").pipe(
  Flag.withMetavar("<name>"),
  Flag.withDescription("Whose run it is. Default: default"),
  Flag.withDefault("default")
)

const stateOf = ({ isCompleted, isInUse }: RunSummary): string =>
  isCompleted ? "completed" : isInUse ? "in use" : "to be gone on with"

const list = Command.make(
  "list",
  { database, json },
  Effect.fnUntraced(function* (given) {
    const runs = yield* using(given.database, ({ list }) => list)
    if (given.json) return yield* Console.log(JSON.stringify({ runs }))
    const screen = yield* Screen.make(false)
    const now = yield* Clock.currentTimeMillis
    for (const one of runs) {
      const about = `${stateOf(one)}, ${one.written} rows, begun ${inWords(now - one.createdAt)} ago, last row ${inWords(now - one.updatedAt)} ago`
      screen.line(`${screen.styled("bold", shown(one.run))}  tenant ${shown(one.tenant)}`)
      screen.line(`  ${about}`)
    }
    screen.line(runs.length === 0 ? "There are no runs." : runs.length === 1 ? "One run." : `${runs.length} runs.`)
  })
).pipe(Command.withShortDescription("List the runs of all tenants, oldest first"))

const exporting = Command.make(
  "export",
  { run, file: file("File to write; there must be none of that name"), tenant, database },
  Effect.fnUntraced(function* (given) {
    const key = { tenant: given.tenant, run: given.run }
    const [found, summary] = yield* using(given.database, (checkpoints) =>
      Effect.all([
        checkpoints.find(key),
        Effect.map(checkpoints.list, (all) => all.find(({ run, tenant }) => run === key.run && tenant === key.tenant))
      ])
    )
    if (found === undefined) return yield* unknown(given.run)
    yield* NewFile.write(given.file, CheckpointFile.write(sha256, found))
    if (summary?.isInUse === true) {
      yield* Console.error("A process has this run now, and goes on with it: do not go on with the copy as well.")
    }
    yield* Console.log(`${shown(given.run)}: ${found.written} rows are in ${given.file}.`)
  })
).pipe(
  Command.withShortDescription("Write a run to a file"),
  Command.withDescription(`Writes a run to a file, for support or for another database.

  The file holds the conversation of the run, with what its tools answered: its owner alone may
  read it, and it is worth as much care as the database.`)
)

const importing = Command.make(
  "import",
  { file: file("File that toolguard runs export has written"), database },
  Effect.fnUntraced(function* (given) {
    const text = yield* Effect.try({
      try: () => readFileSync(given.file, "utf8"),
      catch: (error) => problem(`Cannot read ${given.file}: ${lineOf(error)}`, "Name another file.")
    })
    const copy = CheckpointFile.read(sha256, text)
    if (Result.isFailure(copy)) {
      const [what, remedy] = copy.failure
      return yield* problem(`${given.file} is refused. ${what}`, remedy)
    }
    const { run, written } = copy.success
    yield* using(given.database, ({ put }) => put(copy.success), true)
    yield* Console.log(`${shown(run)}: ${written} rows are in the database. Go on with it: Agent.resume.`)
  })
).pipe(
  Command.withShortDescription("Read a run from a file into the database"),
  Command.withDescription(`Reads a run from a file into the database; its tables, or its file, are made where they are missing.

  A file that is damaged, of another version or of something else is refused, and so is a run
  whose id is there already. Go on with a run in one place alone: remove it where it came from.`)
)

const remove = Command.make(
  "remove",
  { run, tenant, database },
  Effect.fnUntraced(function* (given) {
    const key = { tenant: given.tenant, run: given.run }
    yield* using(given.database, (checkpoints) =>
      Effect.gen(function* () {
        const one = (yield* checkpoints.list).find(({ run, tenant }) => run === key.run && tenant === key.tenant)
        if (one === undefined) return yield* unknown(given.run)
        if (one.isInUse) {
          return yield* problem(
            `A process has the run ${shown(given.run)} now.`,
            "End that process, or wait until its lease is over."
          )
        }
        return yield* checkpoints.remove(key)
      })
    )
    yield* Console.log(`${shown(given.run)} is removed.`)
  })
).pipe(
  Command.withShortDescription("Forget a run, with all its rows"),
  Command.withDescription(`Forgets a run, with all its rows and its end. There is no way back: export it first.

  What its calls have done is done; a new run of the same id knows nothing of it but its
  idempotency keys.`)
)

const unknown = (run: string) =>
  problem(`There is no run ${shown(run)}.`, "See toolguard runs list; name its --tenant.")

export const runs = Command.make("runs").pipe(
  Command.withShortDescription("List, export, import and remove runs"),
  Command.withDescription(`Looks after the runs whose checkpoints are in the database of the guard's stores.`),
  Command.withExamples([
    { command: "toolguard runs list --database stores.db", description: "The runs, and whether a process has them" },
    { command: "toolguard runs export job-17 job-17.jsonl", description: "A copy of a run, for support" },
    { command: "toolguard runs import job-17.jsonl --database postgres://app@db/app", description: "Moves it" },
    { command: "toolguard runs remove job-17", description: "Forgets it" }
  ]),
  Command.withSubcommands([list, exporting, importing, remove])
)
