/** Defines the flags, the stores and the problems of a run that is saved in a database, so that it can be resumed. */
import * as CheckpointsMemory from "effect-toolguard/layers/CheckpointsMemory"
import * as EscalationTerminal from "effect-toolguard/layers/EscalationTerminal"
import type { CheckpointError, Checkpoints } from "effect-toolguard/services/Checkpoints"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { Guard } from "effect-toolguard/internal/guard/Guard"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Terminal from "effect/Terminal"
import { stores } from "#kit/cli/console/Database"
import { database } from "#kit/cli/console/Flags"
import { misuse, type Problem, problem } from "#kit/cli/console/Problem"

/** A run in the database. */
export interface SavedRun {
  readonly run: string
  /** True if the run continues from its checkpoint; false if it is started with its prompt. */
  readonly isResumed: boolean
}

export const flags = {
  database,
  save: Flag.String("save").pipe(
    Flag.withMetavar("<run>"),
    Flag.withDescription("Save the guarded run in the database under this id"),
    Flag.optional
  ),
  resume: Flag.String("resume").pipe(
    Flag.withMetavar("<run>"),
    Flag.withDescription("Resume the run with this id from its checkpoint in the database"),
    Flag.optional
  )
}

interface Options {
  readonly database: Option.Option<string>
  readonly save: Option.Option<string>
  readonly resume: Option.Option<string>
  readonly prompt: Option.Option<string>
  readonly bare: Option.Option<boolean>
}

/** Returns the run that the flags name; undefined if the run is not saved. Refuses flags that contradict each other. */
export const read = ({ bare, prompt, resume, save }: Options): Effect.Effect<SavedRun | undefined, Problem> => {
  if (Option.isSome(save) && Option.isSome(resume)) {
    return Effect.fail(misuse("--save and --resume cannot be combined.", "Leave one of them out."))
  }
  if (Option.isSome(save)) return Effect.succeed({ run: save.value, isResumed: false })
  if (Option.isNone(resume)) return Effect.undefined
  const extra = Option.isSome(prompt) ? "--prompt" : Option.getOrElse(bare, () => false) ? "--bare" : undefined
  return extra === undefined
    ? Effect.succeed({ run: resume.value, isResumed: true })
    : Effect.fail(misuse(`${extra} does not apply to --resume.`, "A resumed run continues its stored conversation."))
}

/** The address at which `toolguard approvals serve` shows the requests by default. */
const publicUrl = "http://127.0.0.1:8788"

/**
 * Provides the guard. If a person is at the terminal, that person decides. Otherwise the requests of a saved run are
 * stored in its database, where `toolguard approvals` decides them.
 */
export const guardFor = (
  isAttended: boolean,
  saved: SavedRun | undefined,
  { database }: Pick<Options, "database">
): Layer.Layer<Guard | Checkpoints, Problem, Terminal.Terminal> => {
  if (saved === undefined) {
    const guard = isAttended ? Guard.layerMemoryWith(EscalationTerminal.layer) : Guard.layerMemory
    return Layer.merge(guard, CheckpointsMemory.layer)
  }
  const kept = stores(database)
  return isAttended
    ? Guard.layerMemoryWith(Layer.merge(EscalationTerminal.layer, kept))
    : Guard.layerMemoryWith(Layer.provideMerge(inbox, kept))
}

/** The inbox, which is loaded only for a run that needs it, because its server has many modules. */
const inbox = Layer.unwrap(
  Effect.promise(async () => (await import("effect-toolguard/layers/EscalationHttp")).layer({ publicUrl }))
)

/** Returns the problem of a run that cannot be opened or stored. */
export const problemOf = (error: CheckpointError): Problem => {
  if (error._tag === "CheckpointsUnavailable") {
    return problem("The database stopped responding.", "Everything until then is stored: resume the run with --resume.")
  }
  const { detail, reason, run } = error
  const name = shown(run)
  switch (reason) {
    case "unknown_run":
      return problem(`There is no run ${name} that can be resumed.`, "See toolguard runs list.")
    case "in_use":
      return problem(
        `Another process owns the run ${name}.`,
        "Stop that process. If it has ended, its lease expires after at most 30 seconds."
      )
    case "other_run":
      return problem(
        `The run ${name} has a different prompt.`,
        `Resume it with --resume ${name}, or choose another id for --save.`
      )
    default:
      return problem(`The run ${name} cannot be opened: ${shown(detail)}`, "See toolguard runs list.")
  }
}
