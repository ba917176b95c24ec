/** Defines guarded tools to serve, whose handlers report their runs, and wait or fail as their arguments say. */
import { Effect, Layer, Schema } from "effect"
import * as EscalationScripted from "#layers/EscalationScripted"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as McpServe from "#src/mcp/serve/McpServe"
import { ReadResult } from "#src/tool/ReadResult"
import * as Toolbox from "#src/tool/Toolbox"

export class Search extends GuardedTool.Service<Search>()("search", {
  description: "Searches. Read-only.",
  access: "read",
  retry: { base: 1 },
  parameters: Schema.Struct({ q: Schema.String }),
  success: Schema.Struct({ n: Schema.Int, note: Schema.String.check(Schema.isPattern(/^(ghp_\w+)?$/u)) })
}) {}

export class Refund extends GuardedTool.Service<Refund>()("refund_order", {
  description: "Refunds an order. Writes.",
  access: "destructive",
  idempotency: "derived",
  approval: "confirm",
  parameters: Schema.Struct({ order_id: Schema.String }),
  success: Schema.Struct({ refunded: Schema.Boolean })
}) {}

export class Export extends GuardedTool.Service<Export>()("export_rows", {
  description: "Exports rows. Read-only.",
  access: "read",
  parameters: Schema.Struct({}),
  success: Schema.Struct({ rows: Schema.Array(Schema.String) })
}) {}

const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

export class Draw extends GuardedTool.Service<Draw>()("draw_chart", {
  description: "Draws a chart. Read-only.",
  access: "read",
  parameters: Schema.Struct({}),
  success: Schema.Struct({ title: Schema.String })
}) {}

export const bareBox = Toolbox.make(Search, Refund, Export, Draw)
export const box = Toolbox.merge(bareBox, Toolbox.make(ReadResult))

/** Implements the tools. `report` receives a line for each run and interruption. */
export const tools = (report: (line: string) => void) => {
  let failures = 0
  return Layer.mergeAll(
    Search.layerTest(({ q }) =>
      Effect.suspend((): Effect.Effect<string | { readonly n: number; readonly note: string }, unknown> => {
        report(`search ${q}`)
        if (q === "hang") return Effect.onInterrupt(Effect.never, () => Effect.sync(() => report(`interrupted ${q}`)))
        if (q === "cut") return Effect.succeed('{"n":')
        if (q === "flaky" && (failures += 1) < 3) return Effect.fail({ status: 503 })
        if (q === "secret") return Effect.succeed({ n: 1, note: "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" })
        return Effect.succeed({ n: 1, note: "" })
      })
    ),
    Refund.layerTest(({ order_id }) =>
      Effect.sync(() => {
        report(`refund ${order_id}`)
        return { refunded: true }
      })
    ),
    Export.layerTest(() => Effect.succeed({ rows: Array.from({ length: 2000 }, (_, row) => `row number ${row}`) })),
    Draw.layerTest(() =>
      Effect.succeed(
        GuardedTool.withParts({ title: "Orders" }, [
          { type: "file", mediaType: "image/png", data: image },
          { type: "file", mediaType: "audio/wav", data: "UklGRg==" },
          { type: "file", mediaType: "application/pdf", data: "JVBERi0=", fileName: "chart 1.pdf" },
          { type: "file", mediaType: "image/png", data: "https://charts.example/1.png" },
          { type: "text", text: "drawn" }
        ])
      )
    )
  )
}

/** Returns the layer of the tools and the lines that they report. The wrapped escalation gives `answers`. */
export const desk = (answers: ReadonlyArray<EscalationScripted.ScriptedAnswer> = []) => {
  const runs: Array<string> = []
  const escalation = McpServe.layerElicitation.pipe(Layer.provide(EscalationScripted.layer(answers)))
  const all = Layer.merge(
    tools((line) => void runs.push(line)),
    ReadResult.layerGuard
  )
  return { runs, layer: Layer.provideMerge(all, Guard.layerMemoryWith(escalation)) }
}
