/** Tests that the tables of the reports on recorded traffic agree with their totals. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import * as Traffic from "#kit/cli/traffic/Traffic"
import * as Replay from "#kit/replay/Replay"
import * as Fold from "#kit/report/Fold"
import { data, recordedData } from "../../support/data.ts"
import { needs } from "../../support/prerequisites.ts"
import { assertAgreement } from "./agreement.ts"

const reportOf = (file: string, options: Replay.ReplayOptions) =>
  Effect.scoped(
    Effect.gen(function* () {
      const replay = yield* Replay.make(options)
      const fold = Fold.make({ redact: (text) => text })
      yield* Stream.runForEach(Traffic.stream([file], {}), ({ items }) =>
        Effect.sync(() => {
          for (const item of items) if (item._tag === "Conversation") fold.add(item, replay.play(item))
        })
      )
      return fold.report()
    })
  )

describe("the reports on recorded traffic", needs(recordedData), () => {
  const folder = join(data, "traffic")
  for (const advise of [new Set<string>(), "all"] as const) {
    it.effect(
      `13.1 the tables agree with the totals, for every file, ${advise === "all" ? "advising" : "enforcing"}`,
      () =>
        Effect.forEach(
          readdirSync(folder).filter((name) => name.endsWith(".jsonl.gz")),
          (name) =>
            Effect.map(reportOf(join(folder, name), { advise }), (report) => {
              assert.isAbove(report.totals.calls, 0)
              assertAgreement(report)
            })
        )
    )
  }
})
