/** Checks the public URL of the inbox. */
import * as Effect from "effect/Effect"

/**
 * Returns true if a text can be the public URL. A URL with a user or password cannot, because models read the links.
 */
export const isPublicUrl = (text: string): boolean => {
  if (/[?#\s]/u.test(text) || !URL.canParse(text)) return false
  const { password, protocol, username } = new URL(text)
  return /^https?:$/u.test(protocol) && username === "" && password === ""
}

/** Dies if the URL is invalid, so that the error appears when the program starts, not in a broken link. */
export const checked = (text: string): Effect.Effect<void> =>
  isPublicUrl(text)
    ? Effect.void
    : Effect.die(
        new TypeError(
          "The publicUrl of the approvals is not an http(s) URL without credentials, query and fragment: write it as https://host/path."
        )
      )
