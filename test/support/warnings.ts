/** What a program says in its log, for tests: each message as one text. */
import { Effect, type Layer, Logger } from "effect"

export const recorded = () => {
  const messages: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    messages.push(`${logLevel} ${String(Array.isArray(message) ? message[0] : message)}`)
  })
  return { messages, layer: Logger.layer([logger]) satisfies Layer.Layer<never> }
}

/** Real time passes until something is so: a server or a socket takes some. */
export const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.promise(async () => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10))
  })
