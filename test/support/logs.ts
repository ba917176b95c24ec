/** Records the log of a program, and waits for conditions, in tests. */
import { Effect, type Layer, Logger } from "effect"

/** Creates a logger that records each message as one text. */
export const recorded = () => {
  const messages: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    messages.push(`${logLevel} ${String(Array.isArray(message) ? message[0] : message)}`)
  })
  return { messages, layer: Logger.layer([logger]) satisfies Layer.Layer<never> }
}

/** Waits in real time until a condition holds, for effects of servers and sockets. */
export const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.promise(async () => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10))
  })
