/** The operating system's user, who decides at a terminal. */
import os from "node:os"

/** The user's name; `terminal` if the user has none, as in some containers: the operating system then returns an error. */
export const systemUser = (): string => {
  try {
    return os.userInfo().username
  } catch {
    return "terminal"
  }
}
