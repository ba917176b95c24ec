/** Starts an inbox on a free port with three approvers, and clients that behave like browsers and like programs. */
import type { Approver } from "#domain/approval/ApprovalRequest"
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as ApproversList from "#layers/ApproversList"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import type { UnknownOutcomes } from "#services/UnknownOutcomes"
import * as EscalationHttp from "#layers/EscalationHttp"
import { Approvals } from "#services/Approvals"
import type { Approvers } from "#services/Approvers"
import type { Escalation } from "#services/Escalation"
import { Effect, Layer, PubSub, Redacted } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { ScriptedPerson } from "../contracts/Escalation.ts"

const approvers: ReadonlyArray<Approver> = [
  { name: "Ana", tools: ["refund_order", "drop_it"] },
  { name: "Ben" },
  { name: "Cleo", tenants: ["another"] }
]
const issued = approvers.map((approver) => Effect.runSync(ApproversList.issue(approver)))
const tokenOf = (name: string): string => {
  const at = approvers.findIndex((approver) => approver.name === name)
  return Redacted.value(issued[at]?.token ?? Redacted.make(""))
}

/** The tokens of the approvers. Ana decides two tools, Ben all tools, and Cleo those of another tenant. */
export const ana = tokenOf("Ana")
export const ben = tokenOf("Ben")
export const cleo = tokenOf("Cleo")

export const approversLayer = ApproversList.layer(issued.map(({ entry }) => entry))

export const freePort: Effect.Effect<number> = Effect.callback((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** Serves the inbox while an effect runs. */
export const serving = <A, E, R>(
  use: (url: string) => Effect.Effect<A, E, R>,
  approvers: Layer.Layer<Approvers> = approversLayer,
  outcomes: Layer.Layer<UnknownOutcomes> = UnknownOutcomesMemory.layer
): Effect.Effect<A, E, R | Approvals> =>
  Effect.flatMap(freePort, (port) => {
    const publicUrl = `http://127.0.0.1:${port}`
    const served = EscalationHttp.serve({ port, publicUrl, interval: "200 millis", maxReaders: 3 })
    return Effect.provide(use(publicUrl), Layer.orDie(Layer.provide(served, [approvers, outcomes])))
  })

export interface HttpResponse {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

/** Sends an HTTP request. Redirects are not followed. */
export const send = (url: string, init: RequestInit = {}): Effect.Effect<HttpResponse> =>
  Effect.promise(async () => {
    const response = await fetch(url, { redirect: "manual", ...init })
    return { status: response.status, text: await response.text(), headers: response.headers }
  })

const form = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields)

/** Returns the headers that a browser sends with a form of the inbox. */
const formHeaders = (url: string) => ({ origin: new URL(url).origin, "sec-fetch-site": "same-origin" })

export interface Browser {
  readonly get: (path: string) => Effect.Effect<HttpResponse>
  readonly post: (
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>
  ) => Effect.Effect<HttpResponse>
}

/** Creates a browser without JavaScript, which sends the cookie, and sends the origin with forms. */
export const browser = (url: string, cookie = ""): Browser => ({
  get: (path) => send(url + path, { headers: { cookie } }),
  post: (path, fields, headers = formHeaders(url)) =>
    send(url + path, { method: "POST", body: form(fields), headers: { cookie, ...headers } })
})

/** Signs in with a token. */
export const signedIn = (url: string, token: string): Effect.Effect<Browser> =>
  Effect.map(browser(url).post("/approvals/login", { token, next: "/approvals" }), ({ headers }) =>
    browser(url, (headers.get("set-cookie") ?? "").split(";")[0])
  )

/** Returns the hidden fields of the form that decides a request. */
export const fieldsOf = (text: string, id: string): Readonly<Record<string, string>> => {
  const at = text.indexOf(`/approvals/${id}/decision"`)
  const end = text.indexOf("</form>", at)
  const hidden = text.slice(at, end).matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/gu)
  return Object.fromEntries([...hidden].map(([, name = "", value = ""]) => [name, value]))
}

/** Sends a request to the API. */
export const api = (
  url: string,
  token: string,
  method: string,
  path: string,
  body?: unknown
): Effect.Effect<HttpResponse> =>
  send(`${url}/api/approvals${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

/** Creates a scripted person who decides requests in the inbox. */
export const scriptedPerson = (layer: Layer.Layer<Escalation, never, Approvals>): ScriptedPerson => {
  const script: Array<"approve" | "deny"> = []
  const person = Layer.effectDiscard(
    Effect.gen(function* () {
      const approvals = yield* Approvals
      const changes = yield* approvals.changes
      const answerOne = Effect.gen(function* () {
        yield* Effect.yieldNow
        const [first] = (yield* approvals.pending({ limit: 1 })).requests
        const verdict = first === undefined ? undefined : script.shift()
        if (verdict !== undefined) yield* approvals.decide(first?.id ?? "", { verdict, by: "Ana", reason: "" })
      })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(PubSub.take(changes), answerOne)), {
        startImmediately: true
      })
    })
  )
  return {
    layer: layer.pipe(Layer.provideMerge(person), Layer.provide(ApprovalsMemory.layer)),
    answers: (answer: "approve" | "deny") => Effect.sync(() => void script.push(answer))
  }
}
