/**
 * Lets the second SIGINT end the process, even during synchronous work.
 *
 * A handler of a signal runs only between two pieces of synchronous work. So the first SIGINT, which interrupts the command,
 * also removes all handlers. The next SIGINT then has its default action: the system ends the process.
 */

/** Installs the handler. Must be called before the handler that interrupts the command is added. */
export const install = (): void => {
  process.once("SIGINT", () => process.removeAllListeners("SIGINT"))
}
