/**
 * The steps of a run with a journal: a step in the journal is replayed, any other is executed and written before the run
 * continues [12.1, 12.2].
 *
 * If a row cannot be written the run stops, because an unwritten step would be repeated.
 */
import type { JournaledCall } from "#domain/journal/JournaledCall"
import * as JournalRows from "#domain/journal/JournalRows"
import * as JsonPrompt from "#domain/transcript/JsonPrompt"
import { Turn } from "#domain/turn/Turn"
import {
  type CheckpointError,
  CheckpointRefused,
  type Checkpoints,
  type OpenRun,
  type RunKey
} from "#services/Checkpoints"
import * as AiError from "effect/ai/AiError"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { AgentEvent } from "./AgentEvent.ts"
import { contractOf, contractsOf } from "./CalledContracts.ts"
import type { GuardedTurn } from "#src/guard/Guard"
import type { Decided } from "./AgentEnd.ts"
import { isYes, Reply, type Steps } from "./Steps.ts"
import type { Within } from "./Stop.ts"
import type { ToolReference } from "#domain/tool/ToolDefinition"

/** How a run started. */
const Begun = Schema.Struct({ kind: Schema.Literal("begun"), turn: Turn, prompt: Prompt.Prompt })
type Begun = typeof Begun.Type

/** The first row of a run, decoded and as written. */
interface Beginning {
  readonly value: Begun
  readonly body: string
}

const Entry = Schema.fromJsonString(
  Schema.toCodecJson(
    Schema.Union([
      Begun,
      Schema.Struct({
        kind: Schema.Literal("reply"),
        round: Schema.Int,
        reply: Reply,
        contracts: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
      }),
      Schema.Struct({ kind: Schema.Literal("call"), callId: Schema.String, call: Schema.Json }),
      Schema.Struct({ kind: Schema.Literal("kept"), callId: Schema.String, url: Schema.String }),
      Schema.Struct({ kind: Schema.Literal("agreed"), question: Schema.String }),
      Schema.Struct({ kind: Schema.Literal("ended"), round: Schema.Int, end: Schema.String })
    ])
  )
)
type Entry = typeof Entry.Type

const decode = Schema.decodeUnknownResult(Entry)
const encode = Schema.encodeSync(Entry)
const encodeResult = Schema.encodeResult(Entry)

/** The steps in the rows of a run. */
export interface Held {
  readonly begun: Beginning | undefined
  readonly replies: ReadonlyMap<number, Reply>
  /** The contract under which each write was called, by round and tool name. */
  readonly contracts: ReadonlyMap<number, Readonly<Record<string, string>>>
  readonly calls: ReadonlyMap<string, JournaledCall>
  /** Where the whole results of shortened calls are stored. */
  readonly kept: ReadonlyMap<string, string>
  readonly agreed: ReadonlySet<string>
  /** The rounds after which the run ended before it was resumed, and how it ended. */
  readonly ended: ReadonlyMap<number, string>
  /** The latest round with a reply; 0 without one. */
  readonly lastRound: number
}

/** Reads the rows of a run, or says why it cannot be resumed from them. */
export const read = (run: string, open: OpenRun, sha256: JournalRows.Sha256): Held | CheckpointRefused => {
  const refused = (reason: CheckpointRefused["reason"], detail: string) =>
    new CheckpointRefused({ run, reason, detail })
  if (open.format !== JournalRows.format) {
    return refused(
      open.format < JournalRows.format ? "older_format" : "newer_format",
      `It is of format ${open.format}, and this version reads format ${JournalRows.format}. Finish it with the version that started it.`
    )
  }
  const fault = JournalRows.fault(sha256, open.rows, { count: open.written, sum: open.lastSum })
  if (fault !== undefined) return refused("damaged", `${fault} It is left as it is; restore a copy, or remove the run.`)
  let begun: Beginning | undefined
  const replies = new Map<number, Reply>()
  const contracts = new Map<number, Readonly<Record<string, string>>>()
  const calls = new Map<string, JournaledCall>()
  const kept = new Map<string, string>()
  const agreed = new Set<string>()
  const ended = new Map<number, string>()
  let lastRound = 0
  for (const { body, seq } of open.rows) {
    const entry = decode(body)
    if (entry._tag === "Failure")
      return refused("damaged", `Row ${seq} is not a step of a run: ${entry.failure.message}`)
    const step = entry.success
    if (step.kind === "begun") begun = { value: step, body }
    else if (step.kind === "reply") {
      replies.set(step.round, step.reply)
      contracts.set(step.round, step.contracts ?? {})
      lastRound = Math.max(lastRound, step.round)
    } else if (step.kind === "kept") kept.set(step.callId, step.url)
    else if (step.kind === "agreed") agreed.add(step.question)
    else if (step.kind === "ended") ended.set(step.round, step.end)
    else calls.set(step.callId, step.call as unknown as JournaledCall) // its checksum shows that it is unchanged
  }
  return { begun, replies, contracts, calls, kept, agreed, ended, lastRound }
}

interface JournalOptions {
  /** Whether the run continues after an end that is not final; otherwise it ends there again. */
  readonly goesOn: boolean
  readonly store: Checkpoints["Service"]
  readonly key: RunKey
  readonly open: OpenRun
  readonly held: Held
  readonly sha256: JournalRows.Sha256
  readonly guard: GuardedTurn["Service"]
  readonly turn: Turn
  readonly tools: ReadonlyMap<string, ToolReference>
  /** Stops the run because a row was not written. */
  readonly lost: (error: CheckpointError) => Effect.Effect<void>
  readonly tell: (event: AgentEvent) => Effect.Effect<void>
}

interface Journal {
  readonly steps: Steps
  /** Writes the first row. */
  readonly begin: (body: string) => Effect.Effect<void>
  /** Records that a limit ended the run after a round, whose events are then not emitted again. */
  readonly limited: (round: number) => Effect.Effect<void>
  /** Emits an event, unless it was emitted before the run was resumed. */
  readonly emit: (event: AgentEvent) => Effect.Effect<void>
}

/** The steps of an open run. */
export const make = ({
  goesOn,
  guard,
  held,
  key,
  lost,
  open,
  sha256,
  store,
  tell,
  tools,
  turn
}: JournalOptions): Journal => {
  const one = Semaphore.makeUnsafe(1)
  let last: JournalRows.Row | undefined = open.rows.at(-1)
  let isWhole = true
  const write = (entry: Entry) => writeText(encode(entry))
  /** Writes rows one at a time, since their checksums form a chain. After a failed write, no further row is written. */
  const writeText = (body: string): Effect.Effect<void> =>
    one
      .withPermits(1)(
        Effect.suspend(() => {
          if (!isWhole) return Effect.void
          const row = JournalRows.next(sha256, last, body)
          return Effect.matchEffect(store.append(key, open.owner, row), {
            onSuccess: () => Effect.sync(() => void (last = row)),
            onFailure: (error) => {
              isWhole = false
              return lost(error)
            }
          })
        })
      )
      .pipe(Effect.uninterruptible)
  /** A call of a round that a crashed process started may have been started there. */
  const stateOf = (round: number, tool: string) => {
    const contract = Object.entries(held.contracts.get(round) ?? {}).find(([name]) => name === tool)?.[1]
    if (contract !== undefined && contract !== contractOf(sha256, tools.get(tool))) return "changed"
    return held.replies.has(round) ? "resumed" : "new"
  }
  const again = <A>(value: A): Within<A> => ({ _tag: "Done", value })
  const emit = (event: AgentEvent) => (isOld(held, event) ? Effect.void : tell(event))
  /** The round whose end is decided: the run continued after it or ended there, and whether a person has now refused. */
  let isPast = false
  let before: string | undefined
  let saidNo = false
  return {
    begin: writeText,
    limited: (round) =>
      round < 1 || held.ended.has(round) ? Effect.void : write({ kind: "ended", round, end: "LimitReached" }),
    emit,
    steps: {
      reply: (round, ask) => {
        const reply = held.replies.get(round)
        if (reply !== undefined) return Effect.succeed(again(reply))
        return Effect.flatMap(ask, (made) => {
          if (made._tag !== "Done") return Effect.succeed(made)
          const contracts = contractsOf(sha256, tools, made.value)
          const { body, value } = writable(
            made.value,
            (reply) => ({ kind: "reply", round, reply, contracts }),
            plainReply
          )
          return Effect.as(writeText(body), again(value))
        })
      },
      call: ({ callId, round, tool }, make) => {
        const call = held.calls.get(callId)
        if (call !== undefined) return Effect.map(guard.restore(tools, turn, tool, call), again)
        return Effect.tap(make(stateOf(round, tool)), (answered) =>
          answered._tag === "Done" ? write({ kind: "call", callId, call: asJson(answered.value.journal) }) : Effect.void
        )
      },
      kept: (callId, keep) => {
        const url = held.kept.get(callId)
        if (url !== undefined) return Effect.succeed(url)
        return Effect.tap(keep, (url) => (url === undefined ? Effect.void : write({ kind: "kept", callId, url })))
      },
      agreed: (question, ask) => {
        if (held.agreed.has(question)) return Effect.succeed(true)
        // without a stored yes, it continued anyway, or it ended and ends there again
        if (isPast || (before !== undefined && !goesOn)) return Effect.succeed(false)
        // resuming a run whose model failed means asking the model again
        if (before === "ModelFailed") return Effect.succeed(true)
        return Effect.tap(Effect.map(ask, isYes), (isAgreed) => {
          if (isAgreed) return write({ kind: "agreed", question })
          saidNo = true
          return Effect.void
        })
      },
      told: (_, round, tell) => (round < held.lastRound ? Effect.void : tell),
      ended: (round, decide) =>
        Effect.suspend(() => {
          isPast = round < held.lastRound
          before = held.ended.get(round)
          saidNo = false
          return Effect.flatMap(decide, (end): Effect.Effect<Decided | undefined> => {
            const safe = Effect.suspend(() =>
              isWhole ? emit({ _tag: "Checkpointed", run: key.run, round }) : Effect.void
            )
            if (end === undefined || isFinal(end)) return Effect.as(safe, end)
            if (isStopped(end)) return Effect.succeed(end)
            if (isPast) return Effect.succeed(undefined)
            // a run that ended here continues if it is resumed, unless a person refuses
            if (before !== undefined) return Effect.succeed(saidNo || !goesOn ? end : undefined)
            return Effect.as(Effect.andThen(write({ kind: "ended", round, end: end._tag }), safe), end)
          })
        })
    }
  }
}

/** Events of the last round may or may not have been emitted by a process that died, unless the run ended there. */
const isOld = ({ ended, lastRound }: Held, event: AgentEvent): boolean => {
  if (!("round" in event)) return false
  return (
    event.round < lastRound || (event.round === lastRound && (event._tag === "RoundStarted" || ended.has(lastRound)))
  )
}

/** A value as JSON: prompts and replies may hold anything that hosts and layers put into them. */
const writable = <A>(value: A, entryOf: (value: A) => Entry, plain: (value: A) => A) => {
  const body = encodeResult(entryOf(value))
  if (Result.isSuccess(body)) return { value, body: body.success }
  const changed = plain(value)
  return { value: changed, body: encode(entryOf(changed)) }
}

const plainReply = (reply: Reply): Reply => {
  if (reply._tag === "Said") return { ...reply, said: JsonPrompt.make(reply.said) }
  const { message, method, module } = reply.error
  const reason = new AiError.UnknownError({ description: message })
  return { _tag: "Failed", error: AiError.make({ module, method, reason }) }
}

/** How a run starts: its prompt as the journal stores it. */
export const begun = (turn: Turn, prompt: Prompt.Prompt): Beginning =>
  writable<Begun>(
    { kind: "begun", turn, prompt },
    (begun) => begun,
    ({ prompt, ...begun }) => ({ ...begun, prompt: JsonPrompt.make(prompt) })
  )

/** A final end: the run cannot be resumed. */
export const isFinal = <End extends Decided>(
  end: End
): end is Extract<End, { readonly _tag: "Answered" | "Refused" }> => end._tag === "Answered" || end._tag === "Refused"

/** A step that was ended from outside is executed again. */
const isStopped = ({ _tag }: Decided): boolean => _tag === "Interrupted" || _tag === "LimitReached"

/** JSON has no undefined members. */
const asJson = (call: JournaledCall | undefined): Schema.Json => JSON.parse(JSON.stringify(call ?? null))
