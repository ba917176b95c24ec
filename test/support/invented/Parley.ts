/**
 * An invented provider with a small protocol, which shows that the shared code of providers works for new protocols.
 *
 * A request is `{ engine, talk, tools }`. A response is `{ engine, said: [{ muse } | { say } | { use, tool, with }], end, cost }`,
 * where `with` is the JSON text of arguments. A stream has one event for each piece and ends with `bye`. An error is
 * `{ problem: { status, says } }`.
 */
import { Effect, Result } from "effect"
import { LanguageModel, type Response, Tool } from "effect/ai"
import * as Fields from "#domain/json/Fields"
import * as CallArguments from "#domain/transcript/CallArguments"
import * as Transcript from "#domain/transcript/Transcript"
import * as Failures from "#layers/internal/model/Failures"
import * as FinishReason from "#layers/internal/model/FinishReason"
import type { Protocol, StreamReader } from "#layers/internal/model/Protocol"
import * as Provider from "#layers/internal/model/Provider"

export interface Settings extends Provider.AnySettings {
  readonly mood?: number
}

type Options = Provider.Connection<Settings>

export const defaultModel = "parrot"

const ends: ReadonlyMap<string, Response.FinishReason> = new Map([
  ["done", "stop"],
  ["used", "tool-calls"],
  ["full", "length"],
  ["hushed", "content-filter"]
])

const finish = (end: unknown, calls: FinishReason.Calls, cost: unknown): Response.FinishPartEncoded => {
  const { cached, heard, spoken } = Fields.of(cost)
  const [total, cacheRead] = [Fields.count(heard), Fields.count(cached)]
  const uncached = total === undefined ? undefined : total - (cacheRead ?? 0)
  return {
    type: "finish",
    reason: FinishReason.of(ends, Fields.string(end), calls),
    usage: { inputTokens: { total, cacheRead, uncached }, outputTokens: { total: Fields.count(spoken) } }
  }
}

const toolCall = (id: string, name: string, text: string): Response.ToolCallPartEncoded => {
  const { options, params } = CallArguments.read(text)
  return { type: "tool-call", id, name, params, metadata: options }
}

const readWhole: Protocol["readWhole"] = (body, takenIds) => {
  const { cost, end, engine, said } = Fields.of(body)
  if (!Array.isArray(said)) return Result.fail(Failures.invalid("the response has no content"))
  const parts = Fields.list(said).map((piece): Response.PartEncoded => {
    if (piece["muse"] !== undefined) return { type: "reasoning", text: Fields.string(piece["muse"]) }
    if (piece["say"] !== undefined) return { type: "text", text: Fields.string(piece["say"]) }
    return toolCall(Fields.string(piece["use"]), Fields.string(piece["tool"]), Fields.string(piece["with"]))
  })
  const fresh = Transcript.freshIds(parts, takenIds).parts
  const calls = fresh.some(({ type }) => type === "tool-call") ? "complete" : "none"
  const modelId = Fields.string(engine)
  return Result.succeed([
    { type: "response-metadata", id: undefined, modelId, timestamp: undefined },
    ...fresh,
    finish(end, calls, cost)
  ])
}

const readStream = (takenIds: ReadonlySet<string>): StreamReader => {
  const taken = new Set(takenIds)
  const calls: Array<{ readonly id: string; readonly name: string; text: string }> = []
  let block: { readonly kind: "text" | "reasoning"; readonly id: string } | undefined
  let blocks = 0
  let size = 0
  let last: ReturnType<typeof Fields.of> | undefined

  const endBlock = (): ReadonlyArray<Response.StreamPartEncoded> => {
    const ended = block
    block = undefined
    return ended === undefined ? [] : [{ type: `${ended.kind}-end`, id: ended.id }]
  }
  const grow = (kind: "text" | "reasoning", delta: string): ReadonlyArray<Response.StreamPartEncoded> => {
    size += delta.length
    if (block?.kind === kind) return [{ type: `${kind}-delta`, id: block.id, delta }]
    const before = endBlock()
    block = { kind, id: `${kind}-${blocks++}` }
    return [...before, { type: `${kind}-start`, id: block.id }, { type: `${kind}-delta`, id: block.id, delta }]
  }

  return {
    read: (event) => {
      const modelId = Fields.string(event["engine"])
      if (modelId !== "") return [{ type: "response-metadata", id: undefined, modelId, timestamp: undefined }]
      if (event["muse"] !== undefined) return grow("reasoning", Fields.string(event["muse"]))
      if (event["say"] !== undefined) return grow("text", Fields.string(event["say"]))
      if (event["tool"] !== undefined) {
        const sent = Fields.string(event["use"])
        const id = sent !== "" && !taken.has(sent) ? sent : Transcript.nextId(taken)
        taken.add(id)
        const name = Fields.string(event["tool"])
        calls.push({ id, name, text: "" })
        return [...endBlock(), { type: "tool-params-start", id, name }]
      }
      if (event["with"] !== undefined) {
        const call = calls.at(-1)
        if (call === undefined) return "arguments without a call"
        const delta = Fields.string(event["with"])
        call.text += delta
        size += delta.length
        return [{ type: "tool-params-delta", id: call.id, delta }]
      }
      if (event["end"] !== undefined) last = event
      return []
    },
    progress: () => (last === undefined ? "incomplete" : "complete"),
    size: () => size,
    finish: () =>
      Result.succeed([
        ...endBlock(),
        ...calls.flatMap(({ id, name, text }): ReadonlyArray<Response.StreamPartEncoded> => [
          { type: "tool-params-end", id },
          toolCall(id, name, text)
        ]),
        finish(last?.["end"], calls.length === 0 ? "none" : "complete", last?.["cost"])
      ])
  }
}

const errorIn = (body: unknown): unknown => {
  const { problem } = Fields.of(body)
  const { says, status } = Fields.of(problem)
  return problem === undefined ? undefined : { error: { code: status, message: says } }
}

const write = (
  { prompt, responseFormat, tools }: LanguageModel.ProviderOptions,
  { model, ...settings }: Provider.RequestSettings<Settings>
): Provider.ProviderRequest => {
  const { changes, prompt: repaired } = Transcript.repair(prompt)
  return {
    changes,
    telemetry: { provider: "parley", request: {} },
    body: (isStreamed) => ({
      ...settings,
      engine: model,
      talk: Transcript.toOpenAi(repaired),
      tools: tools.map((tool) => ({ tool: tool.name, takes: Tool.getJsonSchema(tool) })),
      ...(responseFormat.type === "json" ? { shape: responseFormat.objectName } : {}),
      ...(isStreamed ? { live: true } : {})
    })
  }
}

export const { layer, layerConfig, withSettings } = Provider.make<Settings, Options>({
  module: "Parley",
  protocol: { name: "parley", errorIn, readWhole, readStream, eventSize: 20, endMark: "bye" },
  codecTransformer: LanguageModel.defaultCodecTransformer,
  url: (baseUrl, { model }) => `${baseUrl}/engines/${model}`,
  credentials: ({ apiKey }) => apiKey && { _tag: "Header", name: "x-password", secret: apiKey },
  write,
  defaults: { baseUrl: "https://parley.example.com", model: defaultModel },
  environment: { prefix: "PARLEY", complete: (connection) => Effect.succeed(connection) }
})
