/** Where people reach the inbox, as it stands in the configuration. */
import * as Effect from "effect/Effect"

/** Whether links to the inbox can be made of it. They are read by models too: it names nobody and holds no password. */
export const isPublicUrl = (text: string): boolean => {
  if (/[?#\s]/u.test(text) || !URL.canParse(text)) return false
  const { password, protocol, username } = new URL(text)
  return /^https?:$/u.test(protocol) && username === "" && password === ""
}

/** A mistake in it is told when the program starts, not when a person follows a link that leads nowhere. */
export const checked = (text: string): Effect.Effect<void> =>
  isPublicUrl(text)
    ? Effect.void
    : Effect.die(new TypeError("The publicUrl of the approvals is not an http(s) URL: write it as https://host/path."))
