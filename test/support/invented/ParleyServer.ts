/** A real HTTP server that implements the protocol of `Parley.ts` with scripted responses. */
import { Effect, type Scope } from "effect"
import type { IncomingMessage } from "node:http"
import * as ScriptedServer from "../ScriptedServer.ts"
import { eventStream, halves, raw } from "../ScriptedServer.ts"

interface Message {
  readonly role: string
  readonly tool_calls?: ReadonlyArray<{ readonly id: string }>
  readonly tool_call_id?: string
}

export interface RequestBody {
  readonly engine?: string
  readonly talk?: ReadonlyArray<Message>
  readonly live?: boolean
  readonly [field: string]: unknown
}

type Responder = ScriptedServer.Responder<RequestBody>

export interface Speech {
  readonly muse?: string
  readonly say?: string
  readonly uses?: ReadonlyArray<{ readonly id: string; readonly name: string; readonly arguments: string }>
  readonly end: string
  readonly cost: { readonly heard: number; readonly cached: number; readonly spoken: number }
}

/** Creates the body of an error response. */
export const problem = (status: number, says: string) => ({ problem: { status, says } })

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`

/** Creates a response, streamed if the request asks for a stream. Texts and arguments are streamed in two pieces. */
export const speech =
  ({ cost, end, muse = "", say = "", uses = [] }: Speech): Responder =>
  (body) => {
    const engine = "served-model"
    if (body.live === true) {
      const pieces = [
        { engine },
        ...halves(muse).map((half) => ({ muse: half })),
        ...halves(say).map((half) => ({ say: half })),
        ...uses.flatMap(({ arguments: text, id, name }) => [
          { use: id, tool: name },
          ...halves(text).map((half) => ({ with: half }))
        ]),
        { end, cost }
      ]
      return { status: 200, headers: eventStream, pieces: [...pieces.map(event), "data: bye\n\n"] }
    }
    const said = [
      ...(muse === "" ? [] : [{ muse }]),
      ...(say === "" ? [] : [{ say }]),
      ...uses.map(({ arguments: text, id, name }) => ({ use: id, tool: name, with: text }))
    ]
    return raw(200, { engine, said, end, cost })(body)
  }

/** Returns an error if the calls and the results of a request do not match. */
const refusal = ({ talk = [] }: RequestBody): string | undefined => {
  const used = talk.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id))
  const answered = talk.flatMap(({ tool_call_id }) => tool_call_id ?? [])
  return JSON.stringify(used) === JSON.stringify(answered) ? undefined : `used ${used}, answered ${answered}`
}

interface RecordedRequest {
  readonly headers: IncomingMessage["headers"]
  readonly body: RequestBody
  readonly refused: string | undefined
}

/** Starts a server on loopback with scripted responses. It stops with the scope. */
export const serve = (
  script: ReadonlyArray<Responder>
): Effect.Effect<{ readonly baseUrl: string; readonly requests: ReadonlyArray<RecordedRequest> }, never, Scope.Scope> =>
  Effect.suspend(() => {
    const requests: Array<RecordedRequest> = []
    let played = 0
    const respondTo = ({ headers, url }: IncomingMessage, body: RequestBody): Responder => {
      if (url !== `/engines/${body.engine}`) return raw(404, problem(404, `Not found: ${url}`))
      const refused = refusal(body)
      requests.push({ headers, body, refused })
      if (refused !== undefined) return raw(400, problem(400, refused))
      return script[played++] ?? raw(500, problem(500, "The script has no more responses."))
    }
    return Effect.map(ScriptedServer.start(respondTo), (baseUrl) => ({ baseUrl, requests }))
  })
