/** Names the operating system's user, who decides at a terminal. */
import os from "node:os"

/** Returns the user's name, or `terminal` if the operating system reports an error, as in some containers. */
export const systemUser = (): string => {
  try {
    return os.userInfo().username
  } catch {
    return "terminal"
  }
}
