/**
 * The backend: serves agent runs over HTTP (`/runs`), a page that shows them (`/`), and the inbox where a person
 * decides (`/approvals`).
 */
import { Effect, Layer, Schema } from "effect"
import { Guard, Toolbox } from "effect-toolguard"
import * as ApprovalsMemory from "effect-toolguard/layers/ApprovalsMemory"
import * as UnknownOutcomesMemory from "effect-toolguard/layers/UnknownOutcomesMemory"
import * as ApproversList from "effect-toolguard/layers/ApproversList"
import * as EscalationHttp from "effect-toolguard/layers/EscalationHttp"
import { AgentSse } from "effect-toolguard/live"
import type { LanguageModel } from "effect/ai"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Tools from "./Tools.ts"

const tools = Toolbox.make(Tools.CheckStock, Tools.GetPicture, Tools.KeepPlants)

const Body = Schema.Struct({
  prompt: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2_000))
})

/** The page loads nothing from other origins; pictures of a run are in its events. */
const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff"
}

const file = (path: `/${string}`, name: string, contentType: string) =>
  HttpRouter.route(
    "GET",
    path,
    Effect.sync(() =>
      HttpServerResponse.text(readFileSync(join(import.meta.dirname, "page", name), "utf8"), { contentType, headers })
    )
  )

const page = HttpRouter.addAll([
  file("/", "index.html", "text/html; charset=utf-8"),
  file("/page.css", "page.css", "text/css; charset=utf-8"),
  file("/page.js", "page.js", "text/javascript; charset=utf-8")
])

const runs = AgentSse.routes({
  begin: (request) =>
    Effect.map(
      HttpServerRequest.schemaBodyJson(Body).pipe(Effect.provideService(HttpServerRequest.HttpServerRequest, request)),
      ({ prompt }) => ({ prompt, tools, streaming: true, maxRounds: 10 })
    ),
  linger: "20 seconds"
})

export interface Options {
  /** The public address of the server. */
  readonly url: string
  readonly model: Layer.Layer<LanguageModel.LanguageModel>
}

/** The only approver. The token is printed once, when the server starts. */
export const { entry, token } = Effect.runSync(ApproversList.issue({ name: "Ana" }))

/** Creates all routes of the server. A call that needs approval waits up to ten minutes. */
export const routes = ({ model, url }: Options) => {
  const guard = Guard.layerMemoryWith(
    Layer.merge(EscalationHttp.layer({ publicUrl: url, wait: "10 minutes" }), UnknownOutcomesMemory.layer)
  )
  return Layer.mergeAll(
    page,
    runs.pipe(Layer.provide(Layer.mergeAll(guard, Tools.layer, model))),
    EscalationHttp.routes({ publicUrl: url }).pipe(Layer.provide(ApproversList.layer([entry])))
  ).pipe(Layer.provide([ApprovalsMemory.layer, UnknownOutcomesMemory.layer]))
}
