/** Tests the public URL of the inbox, which is validated at the start. */
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import type { UnknownOutcomes } from "#services/UnknownOutcomes"
import * as EscalationHttp from "#layers/EscalationHttp"
import * as EscalationWebhook from "#layers/EscalationWebhook"
import { isPublicUrl } from "#layers/internal/inbox/PublicUrl"
import type { Approvals } from "#services/Approvals"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, type Scope } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import { approversLayer, freePort } from "./support.ts"

const wrong = [
  "",
  "agents.example.com",
  "ftp://agents.example.com",
  "javascript:alert(1)",
  "https://agents.example.com/?tenant=a",
  "https://agents.example.com/#a",
  "https://ana:password@agents.example.com",
  " https://agents.example.com"
]

const secret = Redacted.make(`whsec_${Buffer.alloc(24).toString("base64")}`)

describe("the public URL of the inbox", () => {
  it("10.3 is an http(s) URL, with or without a path", () => {
    for (const url of ["http://127.0.0.1:8788", "https://a.example/", "https://a.example/x/y//"])
      assert.isTrue(isPublicUrl(url), url)
  })

  it.live(
    "10.3 is refused at the start by server, inbox and webhook if it is invalid, and the error hides its password",
    () =>
      Effect.gen(function* () {
        for (const publicUrl of wrong) {
          const port = yield* freePort
          const starts: ReadonlyArray<
            Effect.Effect<unknown, unknown, Scope.Scope | Approvals | HttpClient.HttpClient | UnknownOutcomes>
          > = [
            Layer.build(EscalationHttp.serve({ port, publicUrl }).pipe(Layer.provide(approversLayer))),
            Layer.build(EscalationHttp.layer({ publicUrl })),
            Layer.build(EscalationWebhook.layer({ publicUrl, secret, url: "https://hook.example" }))
          ]
          for (const start of starts) {
            const cause = yield* Effect.flip(Effect.sandbox(Effect.scoped(start)))
            assert.include(String(cause), "publicUrl of the approvals is not an http(s) URL", publicUrl)
            assert.notInclude(String(cause), "password")
          }
        }
      }).pipe(Effect.provide([ApprovalsMemory.layer, UnknownOutcomesMemory.layer, FetchHttpClient.layer]))
  )
})
