/** The URL where people reach the inbox. */
import * as Effect from "effect/Effect"

/** Whether links to the inbox can start with it. Models read the links too, so that it has no user and no password. */
export const isPublicUrl = (text: string): boolean => {
  if (/[?#\s]/u.test(text) || !URL.canParse(text)) return false
  const { password, protocol, username } = new URL(text)
  return /^https?:$/u.test(protocol) && username === "" && password === ""
}

/** Dies if the URL is invalid, so that the mistake shows when the program starts and not in a broken link. */
export const checked = (text: string): Effect.Effect<void> =>
  isPublicUrl(text)
    ? Effect.void
    : Effect.die(new TypeError("The publicUrl of the approvals is not an http(s) URL: write it as https://host/path."))
