/** Carries messages over two byte streams, one message per line. The caller decides when and how the streams end. */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import * as Allowance from "./Allowance.ts"
import * as Lines from "./LineReader.ts"
import { ended as endedBy, gone, McpError } from "./McpError.ts"
import * as Message from "./Message.ts"
import type { IncomingMessage, Transport } from "./Transport.ts"

interface PipesOptions {
  readonly input: Stream.Stream<Uint8Array, unknown>
  readonly output: Sink.Sink<unknown, Uint8Array, unknown, unknown>
  /** The name of the other side in errors, such as `The server`. */
  readonly who: string
  /** Runs when the input ends. */
  readonly exhausted: Effect.Effect<void>
}

export interface Pipes extends Transport {
  /** Completes when reading ends. */
  readonly read: Effect.Effect<void>
  /** Writes the posted messages, then closes the output. */
  readonly close: Effect.Effect<void>
}

/** `room` waits while at least this many texts are unwritten. */
const maxWaiting = 256

/** The connection ends when more texts, or more characters, are unwritten, because the other side does not read them. */
const maxUnread = { texts: 10_000, characters: 100_000_000 }

/** The maximum number of characters in empty lines, and in lines that contain a broken message. */
const maxWasted = { burst: 4 * Message.limits.maxBytes, perSecond: 100_000 }

export const make = ({ exhausted, input, output, who }: PipesOptions): Effect.Effect<Pipes, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const waiting = yield* Queue.unbounded<string, Cause.Done>()
    const wasted = yield* Allowance.make(maxWasted)
    let unread = 0
    const ended = yield* Deferred.make<never, McpError>()
    const done = yield* Deferred.make<void>()
    const writing = yield* Stream.fromQueue(waiting).pipe(
      Stream.map((text) => {
        unread -= text.length
        return text
      }),
      Stream.encodeText,
      Stream.run(output),
      Effect.ignore,
      Effect.forkScoped
    )
    const tooLarge = new McpError({
      reason: "too_large",
      message: `${who} sent a line of over ${Message.limits.maxBytes} characters.`
    })
    const tooWasteful = new McpError({
      reason: "too_large",
      message: `${who} sent too many empty or broken lines: more than ${maxWasted.burst} characters.`
    })
    const end = (error: McpError) => void Deferred.doneUnsafe(ended, Effect.fail(error))
    const reading = (receive: (incoming: IncomingMessage) => Effect.Effect<void>) => {
      const lines = Lines.make(Message.limits.maxBytes)
      return Stream.runForEach(input, (chunk) => {
        const read: Array<IncomingMessage> = []
        let waste = 0
        const fits = lines.feed(chunk, (text, ordinal) => {
          const messages = Message.read(text, `line ${ordinal}`)
          if (messages.some(Result.isFailure)) waste += text.length
          read.push(...messages)
        })
        if (!fits) end(tooLarge)
        if (!wasted.spend(waste + lines.skipped())) end(tooWasteful)
        const [only] = read
        if (only !== undefined && read.length === 1) return receive(only)
        return Effect.forEach(read, receive, { discard: true })
      }).pipe(
        Effect.ignore,
        Effect.andThen(
          Effect.suspend(() => {
            const rest: Array<IncomingMessage> = []
            lines.rest((text, ordinal) => void rest.push(...Message.read(text, `line ${ordinal}`)))
            return Effect.forEach(rest, receive, { discard: true })
          })
        ),
        Effect.ensuring(Deferred.succeed(done, undefined)),
        Effect.andThen(exhausted)
      )
    }
    return {
      post: (message, lost) => {
        if (Queue.sizeUnsafe(waiting) >= maxUnread.texts || unread + message.text.length > maxUnread.characters) {
          const error = gone(`${who} does not read its input: ${Queue.sizeUnsafe(waiting)} messages wait for it.`)
          end(error)
          lost(endedBy(error))
          return
        }
        if (Queue.offerUnsafe(waiting, `${message.text}\n`)) unread += message.text.length + 1
        else lost(endedBy(gone("The connection is closed.")))
      },
      listen: (receive) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkIn(reading(receive), scope)
          yield* Effect.forkIn(
            Effect.catch(Deferred.await(ended), () => Fiber.interrupt(fiber)),
            scope
          )
        }),
      abandon: () => {},
      room: Effect.suspend(() =>
        Queue.sizeUnsafe(waiting) < maxWaiting
          ? Effect.void
          : Effect.asVoid(
              Effect.repeat(Effect.sleep("1 millis"), { until: () => Queue.sizeUnsafe(waiting) < maxWaiting })
            )
      ),
      ended: Deferred.await(ended),
      end,
      read: Deferred.await(done),
      close: Effect.andThen(Queue.end(waiting), Effect.asVoid(Fiber.await(writing)))
    }
  })
