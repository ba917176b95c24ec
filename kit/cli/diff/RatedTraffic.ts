/** Replays recorded traffic under the lock and under the new tools, and rates each change by the calls that it breaks. */
import type { Change } from "#kit/diff/Change"
import type { Snapshot } from "#kit/diff/Snapshot"
import * as Contracts from "#kit/replay/Contracts"
import * as Replay from "#kit/replay/Replay"
import * as ChangeRatings from "#kit/report/ChangeRatings"
import { type BoundedList, bounded } from "#kit/report/Tables"
import type { RecordedTool, Skipped } from "#kit/traffic/Conversation"
import * as RedactorMemory from "effect-toolguard/layers/RedactorMemory"
import { Redactor } from "effect-toolguard/services/Redactor"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Problem } from "#kit/cli/console/Problem"
import * as Progress from "#kit/cli/replay/Progress"
import * as Source from "#kit/cli/traffic/Source"
import * as Traffic from "#kit/cli/traffic/Traffic"

/** The recorded calls of the compared tools. */
export interface RatedTraffic {
  readonly calls: number
  readonly tools: ReadonlyArray<ChangeRatings.ToolCalls>
  /** The parts of the files that were not read. */
  readonly skipped: BoundedList<Omit<Skipped, "_tag">>
  readonly ratingOf: ChangeRatings.ChangeRatings["ratingOf"]
}

const tooManyTools = `This conversation is left out: the log has more than ${Contracts.maxTools} different tools.`

/** The maximum number of skipped parts that are listed. */
const maxSkipped = 100

const listed = (snapshot: Snapshot): ReadonlyArray<RecordedTool> =>
  [...snapshot].map(([name, { access, description, parameters, result }]) => ({
    name,
    description,
    parameters,
    ...(result === undefined ? {} : { result }),
    ...(access === undefined ? {} : { access })
  }))

/** Reads and replays the files. */
export const read = (
  options: Source.Options & { readonly traffic: ReadonlyArray<string> },
  before: Snapshot,
  after: Snapshot,
  changes: ReadonlyArray<Change>
): Effect.Effect<RatedTraffic, Problem> =>
  Effect.gen(function* () {
    const source = yield* Source.read(options)
    const redactor = yield* Redactor
    const ratings = ChangeRatings.make({ before, after, changes }, redactor.text)
    const removed = new Set([...before.keys()].filter((name) => !after.has(name)))
    const one = yield* Replay.make({ listed: listed(before) })
    const other = yield* Replay.make({ listed: listed(after), removed })
    const skipped = bounded<Omit<Skipped, "_tag">>(maxSkipped)
    const progress = Progress.make()
    yield* Stream.runForEach(Traffic.stream(options.traffic, source), ({ bytes, items, total }) =>
      Effect.sync(() => {
        for (const item of items) {
          if (item._tag === "Skipped") skipped.add(() => ({ place: item.place, reason: item.reason }))
          else if (one.admits(item)) ratings.add(item, one.play(item), other.play(item))
          else skipped.add(() => ({ place: item.place, reason: tooManyTools }))
        }
        progress.at(bytes, total, ratings.calls())
      })
    ).pipe(Effect.ensuring(Effect.sync(progress.end)))
    return {
      calls: ratings.calls(),
      tools: ratings.tools(),
      skipped: skipped.value(),
      ratingOf: ratings.ratingOf
    }
  }).pipe(Effect.scoped, Effect.provide(RedactorMemory.layer))
