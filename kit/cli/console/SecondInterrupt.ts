/**
 * Lets the second SIGINT or SIGTERM end the process, even during synchronous work or while running calls finish.
 *
 * A handler of a signal runs only between two pieces of synchronous work. So the first signal, which interrupts the
 * command, also removes all handlers of both signals. The next signal then has its default action: the system ends the
 * process.
 */

const signals = ["SIGINT", "SIGTERM"] as const

/** Installs the handlers. Must be called before the handlers that interrupt the command are added. */
export const install = (): void => {
  const removeAll = () => {
    for (const signal of signals) process.removeAllListeners(signal)
  }
  for (const signal of signals) process.once(signal, removeAll)
}
