/**
 * Makes the call of a situation through `toolguard mcp proxy`, as a client in memory whose user approves one call.
 *
 * The client makes the identical call again after it has read the answer, as the model of a loop does.
 */
import * as Elicitation from "#kit/proxy/Elicitation"
import * as Proxy from "#kit/proxy/Proxy"
import * as CallLogMemory from "#layers/CallLogMemory"
import * as EscalationMemory from "#layers/EscalationMemory"
import * as RedactorMemory from "#layers/RedactorMemory"
import { ToolPolicy } from "#services/Policies"
import { Guard } from "#src/guard/Guard"
import * as Http from "#src/mcp/wire/Http"
import * as Message from "#src/mcp/wire/Message"
import type { IncomingMessage, Transport } from "#src/mcp/wire/Transport"
import type { RemotePolicy } from "#src/tool/RemotePolicy"
import { Deferred, Effect, Layer, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import { ofEnvelope, recorded } from "./Callers.ts"
import type { Ledger } from "./Ledger.ts"
import type { Report } from "./Report.ts"

type Fields = Record<string, any>

/** The guard of the proxy without a database, with a call log in memory. */
const guard = () =>
  Guard.layerMemoryWith(
    Layer.mergeAll(
      Elicitation.layer.pipe(Layer.provide(EscalationMemory.layer)),
      RedactorMemory.layer,
      CallLogMemory.layer
    )
  ).pipe(Layer.provide(Layer.succeed(ToolPolicy, { retry: { base: "1 millis" } })))

const optionsOf = (policy: RemotePolicy): Proxy.ProxyOptions => ({
  conversation: "conversation",
  policies: { "*": policy },
  confirm: "hinted",
  resultBytes: 10_240,
  timeoutMillis: 120_000,
  silenceMillis: 600_000,
  maxCalls: 10,
  noticed: () => undefined,
  omitted: () => undefined,
  broken: () => undefined
})

/** A client in memory. Its user approves the first question, and dismisses the others. */
const makeClient = () => {
  const answers = new Map<number, Deferred.Deferred<Fields>>()
  const receiver = Deferred.makeUnsafe<(incoming: IncomingMessage) => Effect.Effect<void>>()
  let requests = 0
  let questions = 0
  const send = (text: string) =>
    Effect.flatMap(Deferred.await(receiver), (receive) =>
      Effect.forEach(Message.read(text, "the client"), receive, { discard: true })
    )
  const answered = ({ error, id, method, result }: Fields) => {
    if (method === undefined) {
      const answer = answers.get(id as number)
      return answer === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(answer, error ?? result))
    }
    if (id === undefined) return Effect.void
    questions += 1
    const action = questions === 1 ? { action: "accept", content: { approve: true } } : { action: "cancel" }
    return send(Message.answer(id as number, action))
  }
  const transport: Transport = {
    post: ({ text }) => Effect.runFork(answered(JSON.parse(text) as Fields)),
    listen: (receive) => Effect.asVoid(Deferred.succeed(receiver, receive)),
    abandon: () => undefined,
    room: Effect.void,
    ended: Effect.never,
    end: () => undefined
  }
  return {
    transport,
    notify: (method: string) => send(Message.notification(method)),
    request: (method: string, params: object): Effect.Effect<Fields> =>
      Effect.gen(function* () {
        const id = ++requests
        const answer = yield* Deferred.make<Fields>()
        answers.set(id, answer)
        yield* send(Message.request(id, method, params))
        return yield* Deferred.await(answer)
      })
  }
}

/** Returns the envelope of a result: a failure is the first text, and the notes of a success are the last. */
const envelopeOf = ({ content, isError }: Fields): Fields => {
  const texts = (content as ReadonlyArray<Fields>).map(({ text }) => JSON.parse(text as string) as Fields)
  if (isError === true) return texts[0]!
  const notes = texts.at(-1)!
  return "status" in notes ? notes : { status: "success" }
}

/** Makes the call through a new session. */
export const report = (
  url: string,
  policy: RemotePolicy,
  ledger: Ledger
): Effect.Effect<Report, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const { notify, request, transport } = makeClient()
    const server = yield* Http.make({ url })
    yield* Effect.forkScoped(Proxy.run(transport, server, optionsOf(policy)))
    yield* request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: { elicitation: {} },
      clientInfo: { name: "bench", version: "1" }
    })
    yield* notify("notifications/initialized")
    const call = request("tools/call", { name: "close_ticket", arguments: { q: "a" } })
    const reported = ofEnvelope(envelopeOf(yield* call) as never)
    ledger.repeat()
    yield* call
    return yield* recorded(reported)
  }).pipe(Effect.provide(Layer.merge(guard(), FetchHttpClient.layer)))
