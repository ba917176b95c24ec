/**
 * A scripted model that streams fixed sentences about plants word by word, so that the example needs no provider. The
 * model calls tools. Its texts and calls depend only on the conversation.
 */
import { type Duration, Effect, Layer, Stream } from "effect"
import { LanguageModel, type Prompt, type Response } from "effect/ai"

interface Output {
  readonly text: string
  readonly calls?: ReadonlyArray<readonly [tool: string, args: object]>
}

const plantIn = (text: string): string => /fern|monstera|cactus/iu.exec(text)?.[0].toLowerCase() ?? "fern"

/** Returns the envelopes in the conversation, by tool. */
const resultsIn = (prompt: Prompt.Prompt): ReadonlyMap<string, string> =>
  new Map(
    prompt.content.flatMap((message) =>
      message.role === "tool"
        ? message.content.flatMap((part) =>
            part.type === "tool-result" ? [[part.name, String(part.result)] as const] : []
          )
        : []
    )
  )

const outputFor = (prompt: Prompt.Prompt): Output => {
  const plant = plantIn(JSON.stringify(prompt.content.filter(({ role }) => role === "user")))
  const results = resultsIn(prompt)
  const stock = results.get("check_stock")
  if (stock === undefined) {
    return { text: `Let me look at the shelf for a ${plant}.`, calls: [["check_stock", { plant }]] }
  }
  const left = /"left":(\d+)/u.exec(stock)?.[1]
  if (left === undefined) return { text: "The shelf cannot be reached today. Please ask again later." }
  const kept = results.get("keep_plants")
  if (kept === undefined) {
    return {
      text: `There are ${left} left. I will fetch a picture, and ask whether two may be kept for you.`,
      calls: [
        ["get_picture", { plant }],
        ["keep_plants", { plant, count: 2 }]
      ]
    }
  }
  const number = /"number":"([^"]+)"/u.exec(kept)?.[1]
  return number === undefined
    ? { text: `The ${plant} is in the picture above. Keeping two for you was not approved, so they stay on the shelf.` }
    : {
        text: `The ${plant} is in the picture above, and two of them are kept for you until the evening, as ${number}.`
      }
}

const tokens = (text: string): number => Math.ceil(text.length / 4)

/** Returns a reply as the parts that are streamed. */
const piecesOf = (prompt: Prompt.Prompt, serial: number): ReadonlyArray<Response.StreamPartEncoded> => {
  const { calls = [], text } = outputFor(prompt)
  return [
    { type: "response-metadata", id: `answer-${serial}`, modelId: "plants-1", timestamp: undefined },
    { type: "text-start", id: "text" },
    ...(text.match(/\S+\s*/gu) ?? []).map((delta) => ({ type: "text-delta", id: "text", delta }) as const),
    { type: "text-end", id: "text" },
    ...calls.map(
      ([name, params], index) => ({ type: "tool-call", id: `call_${serial}_${index}`, name, params }) as const
    ),
    {
      type: "finish",
      reason: calls.length > 0 ? "tool-calls" : "stop",
      usage: { inputTokens: { total: tokens(JSON.stringify(prompt)) }, outputTokens: { total: tokens(text) } }
    }
  ]
}

const whole = (pieces: ReadonlyArray<Response.StreamPartEncoded>): Array<Response.PartEncoded> => {
  const text = pieces.map((piece) => (piece.type === "text-delta" ? piece.delta : "")).join("")
  const others = pieces.filter(
    (piece) => piece.type === "tool-call" || piece.type === "finish" || piece.type === "response-metadata"
  )
  return [{ type: "text", text }, ...others]
}

/** Provides the model. `pace` is the time between two words. */
export const layer = (pace: Duration.Input): Layer.Layer<LanguageModel.LanguageModel> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.suspend(() => {
      let serial = 0
      return LanguageModel.make({
        generateText: ({ prompt }) => Effect.sync(() => whole(piecesOf(prompt, (serial += 1)))),
        streamText: ({ prompt }) =>
          Stream.suspend(() => Stream.fromIterable(piecesOf(prompt, (serial += 1)))).pipe(
            Stream.rechunk(1),
            Stream.tap(() => Effect.sleep(pace))
          )
      })
    })
  )
