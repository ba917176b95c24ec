/**
 * Writes the JSON that commands print. Hidden characters, such as terminal control codes and bidirectional marks, are
 * escaped. The value stays the same.
 */
import { visibleJson } from "effect-toolguard/internal/domain/text/VisibleText"

/** Returns a JSON text with hidden characters as escapes. Line breaks between values are kept. */
export const visible = (json: string): string => json.split("\n").map(visibleJson).join("\n")

/** Returns a value as a JSON text, with hidden characters as escapes. */
export const text = (value: unknown, space?: number): string => visible(JSON.stringify(value, undefined, space))
