/**
 * Limits the memory of a process that reads a long log. What is read becomes garbage soon, but by default V8 lets the
 * heap grow to four times what is in use before it collects all of it, and the space for new objects to 32 MB or more
 * in each thread.
 *
 * V8 reads both settings when it collects garbage, so that they can be set at any time. Programs do not depend on them.
 */
import { setFlagsFromString } from "node:v8"

const settings = [
  // the whole heap is collected when it has twice the size of what is in use
  "--heap-growing-percent=100",
  // the space for new objects keeps the size that it has
  "--semi-space-growth-factor=1"
]

/** Limits the memory of all threads of the process. */
export const limit = (): void => {
  for (const setting of settings) setFlagsFromString(setting)
}
